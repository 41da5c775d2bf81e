"""What makes the functions known to the cluster's API server."""

from aws_cdk import aws_eks as eks
from constructs import Construct

from infra.constructs.functions import CostFunction
from infra.settings import Settings

READERS = "cost-intel-readers"
"""The Kubernetes group that deploy/argocd/cluster-role.yaml gives its rights to."""


class ClusterAccess(Construct):
    """An access entry for each role that talks to the API server, when the operator leaves that to the stack.

    The cluster's authentication mode must be `API` or `API_AND_CONFIG_MAP`. What the group may read is decided in the cluster.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        settings: Settings,
        exporter: CostFunction,
        measure: CostFunction,
        history: CostFunction,
    ) -> None:
        super().__init__(scope, construct_id)
        if not settings.eks_access_entries:
            return
        callers = {"Exporter": exporter}
        if settings.is_opencost_behind_api_server:
            callers |= {"Measure": measure, "History": history}
        for name, caller in callers.items():
            eks.CfnAccessEntry(
                self,
                name,
                cluster_name=settings.eks_cluster_name,
                principal_arn=caller.role.role_arn,
                kubernetes_groups=[READERS],
                type="STANDARD",
            )
