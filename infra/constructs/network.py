"""The cluster's VPC, and who may talk to whom inside it."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from infra.settings import Settings

POSTGRESQL_PORT = 5432


class Network(Construct):
    """Security groups of the functions and the database inside the cluster's own VPC.

    The VPC, its subnets and the cluster's security group are named by id and never looked up. Every way out is listed:
    measure and history reach OpenCost and the database, exporter also the cluster's API server, api and migrate the database only,
    the database nothing. No function needs the internet or an interface endpoint, because tokens are signed in the function.
    """

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        super().__init__(scope, construct_id)
        self._settings = settings
        # The zones belong to the subnets, which are named below; CDK wants at least one zone and uses none.
        self.vpc = ec2.Vpc.from_vpc_attributes(self, "Vpc", vpc_id=settings.vpc_id, availability_zones=["unused"])
        self.subnets = ec2.SubnetSelection(
            subnets=[
                ec2.Subnet.from_subnet_id(self, f"Subnet{number}", subnet_id)
                for number, subnet_id in enumerate(settings.subnet_ids, start=1)
            ]
        )
        # The rule to the loopback address stands for "nothing": a group without any rule would reach everything.
        nowhere = ec2.CfnSecurityGroup.EgressProperty(ip_protocol="-1", cidr_ip="127.0.0.1/32", description="Nothing")
        self.database = self._group("Database", "The cost database: reached by the functions, reaches nothing", nowhere)
        to_database = self._egress("PostgreSQL", self.database.security_group_id, POSTGRESQL_PORT)
        self.measure = self._group(
            "Measure", "measure and history: reach OpenCost and the database", to_database, self._egress_to_opencost()
        )
        self.exporter = self._group(
            "Exporter",
            "exporter: reaches the API server, OpenCost and the database",
            to_database,
            *self._egress_to_cluster(),
        )
        self.api = self._group("Api", "api: reaches the database", to_database)
        self.migrate = self._group("Migrate", "migrate: reaches the database", to_database)
        self._open_database(
            {"Measure": self.measure, "Exporter": self.exporter, "Api": self.api, "Migrate": self.migrate}
        )
        if settings.open_cluster_security_group:
            self._open_cluster()

    def _group(self, name: str, description: str, *egress: ec2.CfnSecurityGroup.EgressProperty) -> ec2.ISecurityGroup:
        """Return a security group that reaches what `egress` lists and is reached by nobody.

        The rules stand in the group itself: AWS gives a group without any its own, to everywhere.
        """
        group = ec2.CfnSecurityGroup(
            self, name, vpc_id=self._settings.vpc_id, group_description=description, security_group_egress=list(egress)
        )
        return ec2.SecurityGroup.from_security_group_id(self, f"{name}Group", group.attr_group_id, mutable=False)

    def _egress(self, description: str, group_id: str, port: int) -> ec2.CfnSecurityGroup.EgressProperty:
        """Return the rule that lets a group reach a TCP port of another."""
        return ec2.CfnSecurityGroup.EgressProperty(
            ip_protocol="tcp",
            from_port=port,
            to_port=port,
            destination_security_group_id=group_id,
            description=description,
        )

    def _egress_to_opencost(self) -> ec2.CfnSecurityGroup.EgressProperty:
        """Return the rule that lets measure and history reach OpenCost."""
        port = tcp_port(self._settings.opencost_url)
        return self._egress("OpenCost", self._settings.cluster_security_group_id, port)

    def _egress_to_cluster(self) -> list[ec2.CfnSecurityGroup.EgressProperty]:
        """Return the rules that let exporter reach OpenCost and, where there is one, the API server."""
        return [
            self._egress(name, self._settings.cluster_security_group_id, port) for port, name in self._exporter_ports()
        ]

    def _exporter_ports(self) -> list[tuple[int, str]]:
        """Return the ports behind the cluster's security group that exporter needs, each with what listens there."""
        settings = self._settings
        ports = {tcp_port(settings.opencost_url): "OpenCost"}
        if settings.kubernetes_endpoint:
            ports[tcp_port(settings.kubernetes_endpoint)] = "Kubernetes API"
        return sorted(ports.items())

    def _open_database(self, callers: Mapping[str, ec2.ISecurityGroup]) -> None:
        """Let the callers in."""
        for name, caller in callers.items():
            self._ingress(f"DatabaseFrom{name}", self.database.security_group_id, caller, POSTGRESQL_PORT)

    def _open_cluster(self) -> None:
        """Let measure, history and exporter through the cluster's own security group."""
        group_id = self._settings.cluster_security_group_id
        self._ingress("ClusterFromMeasure", group_id, self.measure, tcp_port(self._settings.opencost_url))
        for port, _ in self._exporter_ports():
            self._ingress(f"ClusterFromExporter{port}", group_id, self.exporter, port)

    def _ingress(self, name: str, group_id: str, caller: ec2.ISecurityGroup, port: int) -> None:
        """Let `caller` reach a TCP port of the group."""
        ec2.CfnSecurityGroupIngress(
            self,
            name,
            group_id=group_id,
            source_security_group_id=caller.security_group_id,
            ip_protocol="tcp",
            from_port=port,
            to_port=port,
            description=f"cost-intel: {name}",
        )


def tcp_port(url: str) -> int:
    """Return the TCP port of a URL."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)
