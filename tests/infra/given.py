"""The settings of an installation that gives every one of them."""

from infra import paths

EVERY_SETTING = {
    "cluster_name": "prod",
    "cluster_id": "cluster-one",
    "cluster_aliases": "https://prod.example.com, prod",
    "cluster_access_app": "argocd:cost-access",
    "cluster_scope_app": "argocd:platform",
    "daily_history_days": "90",
    "opencost_base_url": "https://api.prod.example.com/api/v1/namespaces/opencost/services/http:opencost:9003/proxy",
    "opencost_token_secret_arn": "arn:aws:secretsmanager:eu-central-1:111122223333:secret:opencost-AbCdEf",
    "opencost_ca_file": str(paths.CERTIFICATES / "amazon-rds.pem"),
    "kubernetes_endpoint": "https://api.prod.example.com",
    "kubernetes_ca_file": str(paths.CERTIFICATES / "amazon-rds.pem"),
    "eks_cluster_name": "prod-1",
    "eks_access_entries": "true",
    "prune_remote_cost": "true",
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
    "cluster_security_group_id": "sg-0123456789abcdef0",
    "open_cluster_security_group": "true",
    "database_instance_class": "db.t4g.small",
    "database_multi_az": "true",
    "api_reserved_concurrency": "0",
    "measure_reserved_concurrency": "10",
    "alarm_email": "operations@example.com",
    "log_retention_days": "90",
}
