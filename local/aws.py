"""The account and region everything local pretends to be in; moto's server uses the same account."""

ACCOUNT_ID = "123456789012"
REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
"""Enough for boto3 to sign what moto does not check."""
