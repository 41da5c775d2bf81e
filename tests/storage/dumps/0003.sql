-- Schema 3 with a few rows of each table, as its release left them. Loaded as the schema's owner into an empty database
-- that knows the roles. Never changed: later releases must be able to upgrade from it.

SET ROLE costintel_owner;

CREATE DOMAIN public.finite_numeric AS numeric
	CONSTRAINT finite_numeric_check CHECK (((VALUE > '-Infinity'::numeric) AND (VALUE < 'Infinity'::numeric)));

CREATE TABLE public.applications (
    cluster text NOT NULL,
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    project text NOT NULL,
    destination_server text NOT NULL,
    destination_name text NOT NULL,
    destination_namespace text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    labels jsonb NOT NULL,
    deleting boolean NOT NULL,
    resources jsonb,
    last_sync jsonb,
    history jsonb NOT NULL,
    sync_status text NOT NULL,
    health_status text NOT NULL,
    images text[] NOT NULL,
    application_set text NOT NULL,
    parent_namespace text,
    parent_name text,
    digest text NOT NULL,
    CONSTRAINT applications_check CHECK (((parent_namespace IS NULL) = (parent_name IS NULL)))
);

COMMENT ON TABLE public.applications IS 'The Argo CD Applications of the last complete list.';

COMMENT ON COLUMN public.applications.resources IS 'What it manages, as [group, kind, namespace, name]; null: not known.';

COMMENT ON COLUMN public.applications.last_sync IS '[finished, started or null, revision, revisions, initiator]; history: a list of the same, oldest first.';

COMMENT ON COLUMN public.applications.digest IS 'Of the whole row, so that one that did not change is neither sent nor written again.';

CREATE TABLE public.autoscalers (
    cluster text NOT NULL,
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    target_api_version text NOT NULL,
    target_kind text NOT NULL,
    target_name text NOT NULL,
    min_replicas bigint,
    max_replicas bigint,
    current_replicas bigint,
    targets jsonb NOT NULL,
    digest text NOT NULL
);

COMMENT ON TABLE public.autoscalers IS 'The HorizontalPodAutoscalers of the last complete list; targets are [resource, container, percent or null].';

CREATE TABLE public.collection_namespaces (
    collection bigint NOT NULL,
    namespace text NOT NULL,
    cpu_cost public.finite_numeric NOT NULL,
    ram_cost public.finite_numeric NOT NULL,
    gpu_cost public.finite_numeric NOT NULL,
    storage_cost public.finite_numeric NOT NULL,
    network_cost public.finite_numeric NOT NULL,
    load_balancer_cost public.finite_numeric NOT NULL,
    idle_cpu_cost public.finite_numeric NOT NULL,
    idle_ram_cost public.finite_numeric NOT NULL,
    idle_complete boolean NOT NULL,
    running_rows integer NOT NULL,
    body jsonb NOT NULL
);

COMMENT ON TABLE public.collection_namespaces IS 'One namespace of a collection; body {v, rows} holds its containers, fields in the order of the code.';

CREATE TABLE public.collections (
    id bigint NOT NULL,
    cluster text NOT NULL,
    kind text NOT NULL,
    window_start timestamp with time zone NOT NULL,
    window_end timestamp with time zone NOT NULL,
    state text NOT NULL,
    suspect boolean DEFAULT false NOT NULL,
    running_rows integer NOT NULL,
    row_count integer NOT NULL,
    node_count integer NOT NULL,
    starts_late boolean DEFAULT false NOT NULL,
    observed_start timestamp with time zone,
    observed_end timestamp with time zone,
    observed_spans jsonb DEFAULT '[]'::jsonb NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    asked_count integer DEFAULT 1 NOT NULL,
    totals jsonb DEFAULT '{}'::jsonb NOT NULL,
    assets jsonb DEFAULT '[]'::jsonb NOT NULL,
    opencost_version text DEFAULT ''::text NOT NULL,
    source text DEFAULT ''::text NOT NULL,
    healed boolean DEFAULT false NOT NULL,
    CONSTRAINT collections_check CHECK ((window_start < window_end)),
    CONSTRAINT collections_check1 CHECK (((observed_start IS NULL) = (observed_end IS NULL)))
);

COMMENT ON TABLE public.collections IS 'Windows of the whole cluster. kind hour: as OpenCost answered; live: the fold of the newest 24 hours; day: a UTC day, folded.';

COMMENT ON COLUMN public.collections.observed_spans IS 'Of a fold: the observed [start, end] of its good hours, seconds since the epoch, oldest first.';

COMMENT ON COLUMN public.collections.source IS 'Of a day: hours, or day when it was asked as a whole.';

COMMENT ON COLUMN public.collections.healed IS 'Of a day: asked as a whole in the place of its hours.';

ALTER TABLE public.collections ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.collections_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.cost_actuals (
    id text NOT NULL,
    cluster text NOT NULL,
    application_namespace text NOT NULL,
    application_name text NOT NULL,
    project text NOT NULL,
    destination_server text NOT NULL,
    destination_name text NOT NULL,
    destination_namespace text NOT NULL,
    resources jsonb,
    resources_omitted boolean NOT NULL,
    namespaces text[] NOT NULL,
    measured_on text NOT NULL,
    found_by text NOT NULL,
    stage text NOT NULL,
    sync_started_at timestamp with time zone,
    sync_finished_at timestamp with time zone NOT NULL,
    finished_at_known boolean NOT NULL,
    revision text NOT NULL,
    revisions text[] NOT NULL,
    application_created_at timestamp with time zone,
    sync_status text NOT NULL,
    health_status text NOT NULL,
    initiated_by text NOT NULL,
    images text[] NOT NULL,
    received_at timestamp with time zone NOT NULL,
    measured_at timestamp with time zone NOT NULL,
    settles_at timestamp with time zone,
    scope text NOT NULL,
    early jsonb,
    early_cost numeric GENERATED ALWAYS AS (((early #>> '{cost,total}'::text[]))::numeric) STORED,
    early_monthly_cost numeric GENERATED ALWAYS AS (((early #>> '{monthly,total}'::text[]))::numeric) STORED,
    settled jsonb,
    settled_cost numeric GENERATED ALWAYS AS (((settled #>> '{cost,total}'::text[]))::numeric) STORED,
    settled_monthly_cost numeric GENERATED ALWAYS AS (((settled #>> '{monthly,total}'::text[]))::numeric) STORED,
    first_current jsonb,
    CONSTRAINT cost_actuals_found_by_check CHECK ((found_by = ANY (ARRAY['webhook'::text, 'reconciliation'::text, 'install'::text]))),
    CONSTRAINT cost_actuals_measured_on_check CHECK ((measured_on = ANY (ARRAY['sync'::text, 'install'::text]))),
    CONSTRAINT cost_actuals_stage_check CHECK ((stage = ANY (ARRAY['early'::text, 'settled'::text])))
);

COMMENT ON TABLE public.cost_actuals IS 'One record per measured sync; early and settled are figures as they are served.';

COMMENT ON COLUMN public.cost_actuals.resources IS 'The listed [group, kind, namespace, name]; null: not known, so namespace scope.';

COMMENT ON COLUMN public.cost_actuals.namespaces IS 'Namespaces that can hold its pods.';

CREATE TABLE public.cost_daily (
    cluster text NOT NULL,
    application_namespace text NOT NULL COLLATE pg_catalog."C",
    application_name text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL,
    day date NOT NULL,
    deployment_namespace text NOT NULL,
    cpu_cost public.finite_numeric NOT NULL,
    ram_cost public.finite_numeric NOT NULL,
    gpu_cost public.finite_numeric NOT NULL,
    storage_cost public.finite_numeric NOT NULL,
    network_cost public.finite_numeric NOT NULL,
    load_balancer_cost public.finite_numeric NOT NULL,
    idle_cpu_cost public.finite_numeric NOT NULL,
    idle_ram_cost public.finite_numeric NOT NULL,
    idle_complete boolean NOT NULL,
    cpu_core_hours_requested public.finite_numeric NOT NULL,
    ram_byte_hours_requested public.finite_numeric NOT NULL,
    cpu_core_hours_used public.finite_numeric NOT NULL,
    ram_byte_hours_used public.finite_numeric NOT NULL,
    measured_hours public.finite_numeric NOT NULL,
    complete boolean NOT NULL,
    source text NOT NULL,
    CONSTRAINT cost_daily_scope_check CHECK ((scope = ANY (ARRAY['application'::text, 'namespace'::text])))
);

COMMENT ON TABLE public.cost_daily IS 'What an Application cost on a UTC day, in one scope. A day without a row: nothing of it was measured, or it cost nothing; the day itself tells which.';

CREATE TABLE public.cost_daily_progress (
    cluster text NOT NULL,
    application_namespace text NOT NULL COLLATE pg_catalog."C",
    application_name text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL,
    ownership text NOT NULL,
    folded_from date NOT NULL,
    folded_until date NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT cost_daily_progress_check CHECK ((folded_from <= folded_until)),
    CONSTRAINT cost_daily_progress_scope_check CHECK ((scope = ANY (ARRAY['application'::text, 'namespace'::text])))
);

COMMENT ON TABLE public.cost_daily_progress IS 'Which days an Application''s series covers, both ends included: a day without cost leaves no row there.';

COMMENT ON COLUMN public.cost_daily_progress.ownership IS 'Digest of what it was folded with; another one and the series is folded again.';

CREATE TABLE public.leases (
    cluster text NOT NULL,
    holder text NOT NULL,
    fence bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.leases IS 'One conversation with OpenCost per cluster. An empty holder: nobody, and nobody may before expires_at.';

CREATE TABLE public.live_lists (
    cluster text NOT NULL,
    kind text NOT NULL,
    listed_at timestamp with time zone NOT NULL,
    complete boolean NOT NULL,
    error text NOT NULL,
    last_complete_at timestamp with time zone,
    first_complete_at timestamp with time zone,
    CONSTRAINT live_lists_check CHECK (((last_complete_at IS NULL) = (first_complete_at IS NULL)))
);

COMMENT ON TABLE public.live_lists IS 'How the newest list of each kind of live object went; its rows are those of the last complete one.';

CREATE TABLE public.namespaces (
    cluster text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    labels jsonb NOT NULL,
    digest text NOT NULL
);

COMMENT ON TABLE public.namespaces IS 'The namespaces of the last complete list.';

CREATE TABLE public.opencost_status (
    cluster text NOT NULL,
    version text,
    pricing jsonb,
    reachable boolean NOT NULL,
    error text NOT NULL,
    checked_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.opencost_status IS 'What OpenCost last said of itself; null: it never did.';

CREATE TABLE public.recommendations (
    cluster text NOT NULL,
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    target_api_version text NOT NULL,
    target_kind text NOT NULL,
    target_name text NOT NULL,
    update_mode text NOT NULL,
    policies jsonb NOT NULL,
    recommendations jsonb NOT NULL,
    conditions text[] NOT NULL,
    digest text NOT NULL
);

COMMENT ON TABLE public.recommendations IS 'The VerticalPodAutoscalers of the last complete list; amounts are [cores or null, bytes or null] as exact text.';

CREATE TABLE public.run_summaries (
    cluster text NOT NULL,
    job text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    summary jsonb NOT NULL
);

COMMENT ON TABLE public.run_summaries IS 'What the newest runs of each job did, skipped and left.';

CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone NOT NULL
);

CREATE TABLE public.work (
    cluster text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    payload jsonb NOT NULL,
    not_before timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.work IS 'What is still to be done. kind sync: a sync until its settled figure is stored; hour: an hour to ask again; install, correction, prune: what the live list showed to be missing, contradicted or gone.';

INSERT INTO public.applications (cluster, namespace, name, project, destination_server, destination_name, destination_namespace, created_at, labels, deleting, resources, last_sync, history, sync_status, health_status, images, application_set, parent_namespace, parent_name, digest) VALUES ('local', 'argocd', 'bank', 'shops', 'https://kubernetes.default.svc', '', 'shop', '2026-09-01 12:00:00+00', '{}', true, NULL, NULL, '[]', '', 'Healthy', '{}', '', NULL, NULL, 'b90d87b415c61469505623ba82c6939e');
INSERT INTO public.applications (cluster, namespace, name, project, destination_server, destination_name, destination_namespace, created_at, labels, deleting, resources, last_sync, history, sync_status, health_status, images, application_set, parent_namespace, parent_name, digest) VALUES ('local', 'argocd', 'shop', 'shops', 'https://kubernetes.default.svc', '', 'shop', '2026-09-01 12:00:00+00', '{"env": "prod", "team": "front"}', false, '[["apps", "Deployment", "", "web"], ["batch", "CronJob", "jobs", "nightly"]]', '["2026-11-30T12:00:00+00:00", "2026-11-30T11:59:40+00:00", "0123abcd", [], "admin"]', '[["2026-11-30T10:00:00+00:00", null, "", ["a", "b"], ""], ["2026-11-30T12:00:00+00:00", "2026-11-30T11:59:40+00:00", "0123abcd", [], "admin"]]', 'Synced', 'Healthy', '{shop/web:2,shop/nightly:1}', 'shops', 'argocd', 'all', 'e764981251a2bbeb2d3c5023789faf91');
INSERT INTO public.autoscalers (cluster, namespace, name, created_at, target_api_version, target_kind, target_name, min_replicas, max_replicas, current_replicas, targets, digest) VALUES ('local', 'shop', 'web', '2026-11-30 12:00:00+00', 'apps/v1', 'Deployment', 'web', 2, 10, NULL, '[["cpu", "", 80], ["memory", "main", null]]', '030d1c94cff2c385fcd31afa39e2522f');
INSERT INTO public.collections (id, cluster, kind, window_start, window_end, state, suspect, running_rows, row_count, node_count, starts_late, observed_start, observed_end, observed_spans, asked_at, asked_count, totals, assets, opencost_version, source, healed) OVERRIDING SYSTEM VALUE VALUES (1, 'local', 'hour', '2026-11-30 10:00:00+00', '2026-11-30 11:00:00+00', 'gap', false, 0, 1, 1, false, NULL, NULL, '[]', '2026-11-30 11:10:00+00', 1, '{"cpu": 0.0, "gpu": 0.0, "ram": 0.0, "network": 0.0, "storage": 0.005, "load_balancer": 0.025}', '[{"end": 1796036400, "name": "node-1", "spot": false, "type": "Node", "claim": "", "local": false, "start": 1796032800, "minutes": 60, "cpu_cost": 0.0, "discount": 0.0, "gpu_cost": 0.0, "ram_cost": 0.0, "gpu_hours": 0.0, "node_type": "", "byte_hours": 0.0, "total_cost": 0.2, "provider_id": "", "storage_class": "", "cpu_core_hours": 0.0, "ram_byte_hours": 0.0, "cpu_overhead_fraction": null, "ram_overhead_fraction": null}]', '1.120.2', '', false);
INSERT INTO public.collections (id, cluster, kind, window_start, window_end, state, suspect, running_rows, row_count, node_count, starts_late, observed_start, observed_end, observed_spans, asked_at, asked_count, totals, assets, opencost_version, source, healed) OVERRIDING SYSTEM VALUE VALUES (2, 'local', 'hour', '2026-11-30 11:00:00+00', '2026-11-30 12:00:00+00', 'good', false, 2, 3, 1, true, '2026-11-30 11:05:00+00', '2026-11-30 12:00:00+00', '[]', '2026-11-30 12:10:00+00', 1, '{"cpu": 0.16, "gpu": 0.0, "ram": 0.08, "network": 0.0, "storage": 0.005, "load_balancer": 0.025}', '[{"end": 1796040000, "name": "node-1", "spot": false, "type": "Node", "claim": "", "local": false, "start": 1796036400, "minutes": 60, "cpu_cost": 0.0, "discount": 0.0, "gpu_cost": 0.0, "ram_cost": 0.0, "gpu_hours": 0.0, "node_type": "", "byte_hours": 0.0, "total_cost": 0.2, "provider_id": "", "storage_class": "", "cpu_core_hours": 0.0, "ram_byte_hours": 0.0, "cpu_overhead_fraction": null, "ram_overhead_fraction": null}]', '1.120.2', '', false);
INSERT INTO public.collections (id, cluster, kind, window_start, window_end, state, suspect, running_rows, row_count, node_count, starts_late, observed_start, observed_end, observed_spans, asked_at, asked_count, totals, assets, opencost_version, source, healed) OVERRIDING SYSTEM VALUE VALUES (3, 'local', 'live', '2026-11-29 12:00:00+00', '2026-11-30 12:00:00+00', 'good', false, 0, 0, 0, false, NULL, NULL, '[[1796032800, 1796036400], [1796036400, 1796040000]]', '2026-11-30 12:11:00+00', 1, '{"cpu": 0.16, "gpu": 0.0, "ram": 0.08, "network": 0.0, "storage": 0.005, "load_balancer": 0.025}', '[]', '', '', false);
INSERT INTO public.collections (id, cluster, kind, window_start, window_end, state, suspect, running_rows, row_count, node_count, starts_late, observed_start, observed_end, observed_spans, asked_at, asked_count, totals, assets, opencost_version, source, healed) OVERRIDING SYSTEM VALUE VALUES (4, 'local', 'day', '2026-11-26 00:00:00+00', '2026-11-27 00:00:00+00', 'incomplete', false, 0, 0, 0, false, NULL, NULL, '[[1795651200, 1795685400], [1795690800, 1795737600]]', '2026-11-27 01:00:00+00', 0, '{"cpu": 0.08, "gpu": 0.0, "ram": 0.04, "network": 0.0, "storage": 0.005, "load_balancer": 0.025}', '[{"end": 1796043600, "name": "node-1", "spot": false, "type": "Node", "claim": "", "local": false, "start": 1796040000, "minutes": 60, "cpu_cost": 0.0, "discount": 0.0, "gpu_cost": 0.0, "ram_cost": 0.0, "gpu_hours": 0.0, "node_type": "", "byte_hours": 0.0, "total_cost": 0.2, "provider_id": "", "storage_class": "", "cpu_core_hours": 0.0, "ram_byte_hours": 0.0, "cpu_overhead_fraction": null, "ram_overhead_fraction": null}]', '1.120.2', 'hours', false);
INSERT INTO public.collection_namespaces (collection, namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost, idle_cpu_cost, idle_ram_cost, idle_complete, running_rows, body) VALUES (1, 'shop', 0.0, 0.0, 0.0, 0.005, 0.0, 0.025, 0.0, 0.0, true, 0, '{"v": 1, "rows": [["__unmounted__", "__unmounted__", "", "", "", 1796032800, 1796036400, 0.0, 0.0, 0.0, 0.005, 0.0, 0.025, 0.0, 0.0, 0.0, 0.0, 0.0, null, null, [["shop/front", 0.025]]]]}');
INSERT INTO public.collection_namespaces (collection, namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost, idle_cpu_cost, idle_ram_cost, idle_complete, running_rows, body) VALUES (2, 'shop', 0.08, 0.04, 0.0, 0.005, 0.0, 0.025, 0.0, 0.0, false, 1, '{"v": 1, "rows": [["web-1", "main", "node-1", "deployment", "web", 1796036400, 1796040000, 0.08, 0.04, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 0.0, 2.0, 4.0, null, 4.0, []], ["__unmounted__", "__unmounted__", "", "", "", 1796036400, 1796040000, 0.0, 0.0, 0.0, 0.005, 0.0, 0.025, 0.0, 0.0, 0.0, 0.0, 0.0, null, null, [["shop/front", 0.025]]]]}');
INSERT INTO public.collection_namespaces (collection, namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost, idle_cpu_cost, idle_ram_cost, idle_complete, running_rows, body) VALUES (2, 'bank', 0.08, 0.04, 0.0, 0.0, 0.0, 0.0, 0.04, 0.0, true, 1, '{"v": 1, "rows": [["web-1", "main", "node-1", "deployment", "web", 1796036400, 1796040000, 0.08, 0.04, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 0.0, 2.0, 4.0, 1.0, 4.0, []]]}');
INSERT INTO public.collection_namespaces (collection, namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost, idle_cpu_cost, idle_ram_cost, idle_complete, running_rows, body) VALUES (3, 'bank', 0.08, 0.04, 0.0, 0.0, 0.0, 0.0, 0.04, 0.0, true, 1, '{"v": 1, "rows": [["web-1", "main", "node-1", "deployment", "web", 1796040000, 1796043600, 1.0, 0.08, 0.04, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 0.0, 2.0, 4.0, 1.0, 4.0, 0.04, 0.0, true]]}');
INSERT INTO public.collection_namespaces (collection, namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost, idle_cpu_cost, idle_ram_cost, idle_complete, running_rows, body) VALUES (3, 'shop', 0.08, 0.04, 0.0, 0.005, 0.0, 0.025, 0.0, 0.0, false, 1, '{"v": 1, "rows": [["web-1", "main", "node-1", "deployment", "web", 1796040000, 1796043600, 1.0, 0.08, 0.04, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 0.0, 0.0, 4.0, 0.0, 4.0, 0.0, 0.0, false], ["__unmounted__", "__unmounted__", "", "", "", 1796040000, 1796043600, 0.0, 0.0, 0.0, 0.0, 0.005, 0.0, 0.025, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, true]]}');
INSERT INTO public.collection_namespaces (collection, namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost, idle_cpu_cost, idle_ram_cost, idle_complete, running_rows, body) VALUES (4, 'shop', 0.08, 0.04, 0.0, 0.005, 0.0, 0.025, 0.04, 0.0, true, 1, '{"v": 1, "rows": [["__unmounted__", "__unmounted__", "", "", "", 1796040000, 1796043600, 0.0, 0.0, 0.0, 0.0, 0.005, 0.0, 0.025, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, true], ["web-1", "main", "node-1", "deployment", "web", 1796040000, 1796043600, 1.0, 0.08, 0.04, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 0.0, 2.0, 4.0, 1.0, 4.0, 0.04, 0.0, true]]}');
INSERT INTO public.cost_actuals (id, cluster, application_namespace, application_name, project, destination_server, destination_name, destination_namespace, resources, resources_omitted, namespaces, measured_on, found_by, stage, sync_started_at, sync_finished_at, finished_at_known, revision, revisions, application_created_at, sync_status, health_status, initiated_by, images, received_at, measured_at, settles_at, scope, early, settled, first_current) VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'local', 'argocd', 'shop', 'default', 'https://kubernetes.default.svc', '', 'shop', '[["apps", "Deployment", "", "web"], ["batch", "CronJob", "jobs", "nightly"]]', false, '{jobs,shop}', 'sync', 'webhook', 'settled', '2026-11-30 11:59:40+00', '2026-11-30 12:00:00+00', true, '0123abcd', '{0123abcd,v2}', '2026-09-01 12:00:00+00', 'Synced', 'Healthy', 'admin', '{shop/web:2}', '2026-11-30 12:00:01+00', '2026-11-30 12:00:05+00', '2026-12-01 13:00:00+00', 'application', '{"cost": {"total": 12.5}, "pods": [], "monthly": {"total": 375.0}}', '{"cost": {"total": 13.0}, "pods": [], "monthly": {"total": 375.0}}', NULL);
INSERT INTO public.cost_actuals (id, cluster, application_namespace, application_name, project, destination_server, destination_name, destination_namespace, resources, resources_omitted, namespaces, measured_on, found_by, stage, sync_started_at, sync_finished_at, finished_at_known, revision, revisions, application_created_at, sync_status, health_status, initiated_by, images, received_at, measured_at, settles_at, scope, early, settled, first_current) VALUES ('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'local', 'argocd', 'shop', 'default', 'https://kubernetes.default.svc', '', 'shop', NULL, false, '{shop}', 'sync', 'webhook', 'early', NULL, '2026-11-30 13:00:00+00', true, '0123abcd', '{}', NULL, 'Synced', 'Healthy', 'admin', '{}', '2026-11-30 13:00:01+00', '2026-11-30 13:00:05+00', '2026-12-01 14:00:00+00', 'namespace', NULL, NULL, '{"cost": {"total": 0.25}, "pods": [], "monthly": null}');
INSERT INTO public.cost_daily (cluster, application_namespace, application_name, scope, day, deployment_namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost, idle_cpu_cost, idle_ram_cost, idle_complete, cpu_core_hours_requested, ram_byte_hours_requested, cpu_core_hours_used, ram_byte_hours_used, measured_hours, complete, source) VALUES ('local', 'argocd', 'shop', 'application', '2026-11-26', 'shop', 0.30000000000000004, 0.3333333333333333, 0.0000001, 2.0, 0.0, 0.6, 0.15, 0.14285714285714285, false, 48.0, 2142857142857142.8, 24.1, 1285714285714285.8, 23.916666666666668, true, 'hours');
INSERT INTO public.cost_daily_progress (cluster, application_namespace, application_name, scope, ownership, folded_from, folded_until, updated_at) VALUES ('local', 'argocd', 'shop', 'application', 'd41d8cd9', '2026-10-27', '2026-11-26', '2026-11-30 12:00:00+00');
INSERT INTO public.leases (cluster, holder, fence, expires_at) VALUES ('local', '', 1, '2026-11-30 10:16:01.25191+00');
INSERT INTO public.live_lists (cluster, kind, listed_at, complete, error, last_complete_at, first_complete_at) VALUES ('local', 'applications', '2026-11-30 12:00:00+00', true, '', '2026-11-30 12:00:00+00', '2026-11-30 12:00:00+00');
INSERT INTO public.live_lists (cluster, kind, listed_at, complete, error, last_complete_at, first_complete_at) VALUES ('local', 'namespaces', '2026-11-30 12:00:00+00', false, 'namespaces: 403', '2026-11-30 11:00:00+00', '2026-11-30 11:00:00+00');
INSERT INTO public.live_lists (cluster, kind, listed_at, complete, error, last_complete_at, first_complete_at) VALUES ('local', 'vpas', '2026-11-30 12:00:00+00', true, '', '2026-11-30 12:00:00+00', '2026-11-30 12:00:00+00');
INSERT INTO public.live_lists (cluster, kind, listed_at, complete, error, last_complete_at, first_complete_at) VALUES ('local', 'hpas', '2026-11-30 12:00:00+00', true, '', '2026-11-30 12:00:00+00', '2026-11-30 12:00:00+00');
INSERT INTO public.namespaces (cluster, name, created_at, labels, digest) VALUES ('local', 'shop', '2026-09-01 12:00:00+00', '{"team": "front"}', '27ccce156a50f42c4787c32923df418b');
INSERT INTO public.opencost_status (cluster, version, pricing, reachable, error, checked_at) VALUES ('local', '1.120.2', '{"counts": {"csvExact": 3}}', true, '', '2026-11-30 12:00:00+00');
INSERT INTO public.recommendations (cluster, namespace, name, created_at, target_api_version, target_kind, target_name, update_mode, policies, recommendations, conditions, digest) VALUES ('local', 'shop', 'web', '2026-11-30 12:00:00+00', 'apps/v1', 'Deployment', 'web', 'Off', '[["*", false, ["cpu"], "RequestsOnly", ["0.015", null], ["4", "8589934592"]], ["sidecar", true, null, "", [null, null], [null, null]]]', '[["main", ["0.163", "524288000"], ["0.15", null], ["1.5", "629145600"], [null, "524288000.5"]]]', '{LowConfidence,RecommendationProvided}', 'da853ad02e2d3beeb111859532346278');
INSERT INTO public.run_summaries (cluster, job, started_at, finished_at, summary) VALUES ('local', 'exporter', '2026-11-30 12:00:00+00', '2026-11-30 13:00:00+00', '{"applications": 2}');
INSERT INTO public.schema_migrations (version, name, checksum, applied_at) VALUES (1, 'first', 'ce5f4948b76e1dd52f6b4fca3a036a9811f49b9e1049ab43f9f4df8fb3ca03a6', '2026-11-30 10:16:01.193484+00');
INSERT INTO public.schema_migrations (version, name, checksum, applied_at) VALUES (2, 'live', '32d9d26eb65b06541ee1de50231e3c72a57aaa76c6473335113187b52a24ba03', '2026-11-30 10:16:01.193484+00');
INSERT INTO public.schema_migrations (version, name, checksum, applied_at) VALUES (3, 'days', '8f21450a39cebee43ecfb8d5d51b8feac1ac27c8ac8b4f7593c002ec5673a7b2', '2026-11-30 10:16:01.193484+00');
INSERT INTO public.work (cluster, kind, subject, payload, not_before, attempts, last_error, created_at) VALUES ('local', 'sync', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', '{"sync": {"id": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}}', '2026-11-30 12:00:00+00', 0, '', '2026-11-30 12:00:00+00');
INSERT INTO public.work (cluster, kind, subject, payload, not_before, attempts, last_error, created_at) VALUES ('local', 'hour', '2026-11-30T09:00:00Z', '{}', '2026-11-30 12:20:00+00', 2, 'OpenCost did not answer in 240 s', '2026-11-30 12:10:00+00');
INSERT INTO public.work (cluster, kind, subject, payload, not_before, attempts, last_error, created_at) VALUES ('local', 'install', 'argocd:bank', '{}', '2026-11-30 12:00:00+00', 0, '', '2026-11-30 12:00:00+00');
SELECT pg_catalog.setval('public.collections_id_seq', 4, true);

ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_pkey PRIMARY KEY (cluster, namespace, name);

ALTER TABLE ONLY public.autoscalers
    ADD CONSTRAINT autoscalers_pkey PRIMARY KEY (cluster, namespace, name);

ALTER TABLE ONLY public.collection_namespaces
    ADD CONSTRAINT collection_namespaces_pkey PRIMARY KEY (collection, namespace);

ALTER TABLE ONLY public.collections
    ADD CONSTRAINT collections_cluster_kind_window_start_key UNIQUE (cluster, kind, window_start);

ALTER TABLE ONLY public.collections
    ADD CONSTRAINT collections_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.cost_actuals
    ADD CONSTRAINT cost_actuals_pkey PRIMARY KEY (cluster, id);

ALTER TABLE ONLY public.cost_daily
    ADD CONSTRAINT cost_daily_pkey PRIMARY KEY (cluster, application_namespace, application_name, scope, day);

ALTER TABLE ONLY public.cost_daily_progress
    ADD CONSTRAINT cost_daily_progress_pkey PRIMARY KEY (cluster, application_namespace, application_name, scope);

ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (cluster);

ALTER TABLE ONLY public.live_lists
    ADD CONSTRAINT live_lists_pkey PRIMARY KEY (cluster, kind);

ALTER TABLE ONLY public.namespaces
    ADD CONSTRAINT namespaces_pkey PRIMARY KEY (cluster, name);

ALTER TABLE ONLY public.opencost_status
    ADD CONSTRAINT opencost_status_pkey PRIMARY KEY (cluster);

ALTER TABLE ONLY public.recommendations
    ADD CONSTRAINT recommendations_pkey PRIMARY KEY (cluster, namespace, name);

ALTER TABLE ONLY public.run_summaries
    ADD CONSTRAINT run_summaries_pkey PRIMARY KEY (cluster, job, started_at);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.work
    ADD CONSTRAINT work_pkey PRIMARY KEY (cluster, kind, subject);

CREATE INDEX cost_actuals_namespaces ON public.cost_actuals USING gin (namespaces);

CREATE INDEX cost_actuals_newest ON public.cost_actuals USING btree (cluster, application_namespace, application_name, ((measured_on = 'sync'::text)) DESC, sync_finished_at DESC);

CREATE INDEX cost_actuals_unknown_finish ON public.cost_actuals USING btree (cluster) WHERE (NOT finished_at_known);

CREATE INDEX cost_daily_days ON public.cost_daily USING btree (cluster, day);

CREATE INDEX work_due ON public.work USING btree (cluster, kind, not_before, created_at);

CREATE INDEX work_syncs ON public.work USING btree (cluster, ((payload #> '{sync,application}'::text[]))) WHERE (kind = 'sync'::text);

ALTER TABLE ONLY public.collection_namespaces
    ADD CONSTRAINT collection_namespaces_collection_fkey FOREIGN KEY (collection) REFERENCES public.collections(id) ON DELETE CASCADE;

RESET ROLE;
