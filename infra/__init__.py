"""The AWS infrastructure: one CDK stack, its settings, and the build of what the functions run."""
