"""The PostgreSQL instance that remembers everything."""

from typing import cast

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_rds as rds
from constructs import Construct

from infra.constructs.acknowledgments import acknowledge
from infra.constructs.network import POSTGRESQL_PORT, Network
from infra.settings import Settings

DATABASE_NAME = "costintel"
OWNER = "costintel_owner"
WRITER = "costintel_writer"
READER = "costintel_api"
MASTER = "costintel_master"

ALLOCATED_GIBIBYTES = 20


class Database(Construct):
    """One small instance with IAM authentication; RDS keeps and rotates the master password itself.

    No proxy stands in front of it: concurrency limits bound the number of connections.
    """

    def __init__(self, scope: Construct, construct_id: str, *, network: Network, settings: Settings) -> None:
        super().__init__(scope, construct_id)
        self.instance = rds.DatabaseInstance(
            self,
            "Instance",
            engine=rds.DatabaseInstanceEngine.postgres(version=rds.PostgresEngineVersion.VER_18_3),
            instance_type=ec2.InstanceType(settings.database_instance_class.removeprefix("db.")),
            vpc=network.vpc,
            vpc_subnets=network.subnets,
            security_groups=[network.database],
            port=POSTGRESQL_PORT,
            database_name=DATABASE_NAME,
            credentials=rds.Credentials.from_username(MASTER),
            manage_master_user_password=True,
            iam_authentication=True,
            publicly_accessible=False,
            multi_az=settings.database_multi_az,
            storage_type=rds.StorageType.GP3,
            allocated_storage=ALLOCATED_GIBIBYTES,
            storage_encrypted=True,
            backup_retention=Duration.days(settings.database_backup_days),
            copy_tags_to_snapshot=True,
            deletion_protection=settings.database_deletion_protection,
            removal_policy=RemovalPolicy.SNAPSHOT,
            auto_minor_version_upgrade=True,
            ca_certificate=rds.CaCertificate.RDS_CA_RSA2048_G1,
            parameters={"rds.force_ssl": "1", "log_min_duration_statement": "1000", "idle_session_timeout": "600000"},
        )
        self._resource = cast("rds.CfnDBInstance", self.instance.node.default_child)
        self._acknowledge(settings)

    @property
    def master_secret_arn(self) -> str:
        """The ARN of the secret in which RDS keeps the master user's name and password."""
        arn: str = self._resource.attr_master_user_secret_secret_arn
        return arn

    def _acknowledge(self, settings: Settings) -> None:
        """Accept what cdk-nag finds."""
        if not settings.database_multi_az:
            acknowledge(
                self._resource, "RDS3", "A figure may wait for a restart, none is lost; database_multi_az turns it on"
            )
        acknowledge(
            self._resource, "RDS11", "Security groups decide who reaches the port; another number would hide nothing"
        )

    def environment(self, role: str) -> dict[str, str]:
        """Return the variables with which a function connects as `role`."""
        return {
            "DATABASE_HOST": self.instance.db_instance_endpoint_address,
            "DATABASE_PORT": self.instance.db_instance_endpoint_port,
            "DATABASE_NAME": DATABASE_NAME,
            "DATABASE_USER": role,
            "DATABASE_CA_FILE": "/opt/certificates/database.pem",
        }

    def allow_connect(self, grantee: iam.IRole, role: str) -> None:
        """Let `grantee` log in as `role`, and as nobody else."""
        self.instance.grant_connect(grantee, role)
