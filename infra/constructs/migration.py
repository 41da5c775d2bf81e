"""Bringing the schema up to date with each deployment."""

from aws_cdk import Duration, triggers
from constructs import Construct

from infra.bundling import Bundle
from infra.constructs.database import OWNER, Database
from infra.constructs.functions import CostFunction, FunctionPlan, Surroundings

_MIGRATE_SECONDS = 300
_BOOTSTRAP_SECONDS = _MIGRATE_SECONDS + 30


class Migration(Construct):
    """`migrate` changes the schema from inside the VPC; `bootstrap` starts it from outside.

    Only the first run needs the master credential, to create the database roles. A function in the VPC cannot reach
    Secrets Manager, so bootstrap, which stands outside, reads the credential and hands it over.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, bundle: Bundle, database: Database, surroundings: Surroundings
    ) -> None:
        super().__init__(scope, construct_id)
        code = bundle.functions["migrate"]
        migrate = FunctionPlan(
            handler="migrate.handler.handler",
            code=code,
            memory_mb=512,
            timeout_seconds=_MIGRATE_SECONDS,
            environment=database.environment(OWNER),
            security_group=surroundings.network.migrate,
        )
        self.migrate = CostFunction(self, "Migrate", plan=migrate, surroundings=surroundings)
        database.allow_connect(self.migrate.role, OWNER)
        master = database.master_secret_arn
        bootstrap = FunctionPlan(
            handler="migrate.bootstrap.handler",
            code=code,
            memory_mb=512,
            timeout_seconds=_BOOTSTRAP_SECONDS,
            environment={
                "MASTER_SECRET_ARN": master,
                "MIGRATE_FUNCTION_NAME": self.migrate.function.function_name,
            },
        )
        self.bootstrap = CostFunction(self, "Bootstrap", plan=bootstrap, surroundings=surroundings)
        self.bootstrap.allow("secretsmanager:GetSecretValue", master)
        self.bootstrap.allow("lambda:InvokeFunction", self.migrate.function.function_arn)
        self.trigger = triggers.Trigger(
            self,
            "Trigger",
            handler=self.bootstrap.function,
            timeout=Duration.seconds(_BOOTSTRAP_SECONDS + 30),
            execute_after=[database, self.migrate],
        )

    def before(self, *functions: CostFunction) -> None:
        """Let the functions change only after the schema did."""
        self.trigger.execute_before(*functions)
