"""CDK's switches that touch this stack, fixed in code so that every caller synthesizes the same template."""

FEATURE_FLAGS: dict[str, bool] = {
    # What the CLI switches on and other callers do not have: metadata for its own use.
    "aws:cdk:enable-asset-metadata": False,
    "aws:cdk:enable-path-metadata": False,
    "@aws-cdk/aws-iam:importedRoleStackSafeDefaultPolicyName": True,
    "@aws-cdk/aws-iam:minimizePolicies": True,
    # Without it bootstrap would not run again when only the layer, which holds the migrations, changed.
    "@aws-cdk/aws-lambda:recognizeLayerVersion": True,
    "@aws-cdk/aws-lambda:useCdkManagedLogGroup": True,
    "@aws-cdk/aws-rds:preventRenderingDeprecatedCredentials": True,
    "@aws-cdk/core:aspectPrioritiesMutating": True,
    "@aws-cdk/core:checkSecretUsage": True,
    "@aws-cdk/core:enableAdditionalMetadataCollection": False,
    "@aws-cdk/core:enablePartitionLiterals": True,
    "@aws-cdk/core:explicitStackTags": True,
    "@aws-cdk/core:includePrefixInUniqueNameGeneration": True,
    "@aws-cdk/core:validateAgainstDefaultRules": True,
    "@aws-cdk/core:validateSnapshotRemovalPolicy": True,
}
