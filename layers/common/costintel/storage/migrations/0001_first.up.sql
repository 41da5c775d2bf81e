-- The first schema: who may talk to OpenCost, what is to be done, what was answered, and what syncs cost.
-- Times are the service's and come from the caller; only leases use the database's clock.

-- Money and hours are finite: NaN sorts above Infinity, so one comparison keeps both out.
CREATE DOMAIN finite_numeric AS numeric CHECK (VALUE > '-Infinity' AND VALUE < 'Infinity');

CREATE TABLE leases (
    cluster    text PRIMARY KEY,
    holder     text NOT NULL,
    fence      bigint NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE leases IS 'One conversation with OpenCost per cluster. An empty holder: nobody, and nobody may before expires_at.';

CREATE TABLE work (
    cluster    text NOT NULL,
    kind       text NOT NULL,
    subject    text NOT NULL,
    payload    jsonb NOT NULL,
    not_before timestamptz NOT NULL,
    attempts   integer NOT NULL DEFAULT 0,
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    PRIMARY KEY (cluster, kind, subject)
);
CREATE INDEX work_due ON work (cluster, kind, not_before, created_at);
COMMENT ON TABLE work IS 'What is still to be done. kind sync: a sync until its settled figure is stored; hour: an hour to ask again.';

CREATE TABLE collections (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cluster          text NOT NULL,
    kind             text NOT NULL,
    window_start     timestamptz NOT NULL,
    window_end       timestamptz NOT NULL,
    state            text NOT NULL,
    suspect          boolean NOT NULL DEFAULT false,
    running_rows     integer NOT NULL,
    row_count        integer NOT NULL,
    node_count       integer NOT NULL,
    starts_late      boolean NOT NULL DEFAULT false,
    observed_start   timestamptz,
    observed_end     timestamptz,
    observed_spans   jsonb NOT NULL DEFAULT '[]',
    asked_at         timestamptz NOT NULL,
    asked_count      integer NOT NULL DEFAULT 1,
    totals           jsonb NOT NULL DEFAULT '{}',
    assets           jsonb NOT NULL DEFAULT '[]',
    opencost_version text NOT NULL DEFAULT '',
    UNIQUE (cluster, kind, window_start),
    CHECK (window_start < window_end),
    CHECK ((observed_start IS NULL) = (observed_end IS NULL))
);
COMMENT ON TABLE collections IS 'Windows of the whole cluster. kind hour: as OpenCost answered; live: the fold of the newest 24 hours.';
COMMENT ON COLUMN collections.observed_spans IS 'Of a fold: the observed [start, end] of its good hours, seconds since the epoch, oldest first.';

CREATE TABLE collection_namespaces (
    collection         bigint NOT NULL REFERENCES collections ON DELETE CASCADE,
    namespace          text NOT NULL,
    cpu_cost           finite_numeric NOT NULL,
    ram_cost           finite_numeric NOT NULL,
    gpu_cost           finite_numeric NOT NULL,
    storage_cost       finite_numeric NOT NULL,
    network_cost       finite_numeric NOT NULL,
    load_balancer_cost finite_numeric NOT NULL,
    idle_cpu_cost      finite_numeric NOT NULL,
    idle_ram_cost      finite_numeric NOT NULL,
    idle_complete      boolean NOT NULL,
    running_rows       integer NOT NULL,
    body               jsonb NOT NULL,
    PRIMARY KEY (collection, namespace)
);
COMMENT ON TABLE collection_namespaces IS 'One namespace of a collection; body {v, rows} holds its containers, fields in the order of the code.';

CREATE TABLE cost_actuals (
    id                     text NOT NULL,
    cluster                text NOT NULL,
    application_namespace  text NOT NULL,
    application_name       text NOT NULL,
    project                text NOT NULL,
    destination_server     text NOT NULL,
    destination_name       text NOT NULL,
    destination_namespace  text NOT NULL,
    resources              jsonb,
    resources_omitted      boolean NOT NULL,
    namespaces             text[] NOT NULL,
    measured_on            text NOT NULL CHECK (measured_on IN ('sync', 'install')),
    found_by               text NOT NULL CHECK (found_by IN ('webhook', 'reconciliation', 'install')),
    stage                  text NOT NULL CHECK (stage IN ('early', 'settled')),
    sync_started_at        timestamptz,
    sync_finished_at       timestamptz NOT NULL,
    finished_at_known      boolean NOT NULL,
    revision               text NOT NULL,
    revisions              text[] NOT NULL,
    application_created_at timestamptz,
    sync_status            text NOT NULL,
    health_status          text NOT NULL,
    initiated_by           text NOT NULL,
    images                 text[] NOT NULL,
    received_at            timestamptz NOT NULL,
    measured_at            timestamptz NOT NULL,
    settles_at             timestamptz,
    scope                  text NOT NULL,
    early                  jsonb,
    early_cost             numeric GENERATED ALWAYS AS ((early #>> '{cost,total}')::numeric) STORED,
    early_monthly_cost     numeric GENERATED ALWAYS AS ((early #>> '{monthly,total}')::numeric) STORED,
    settled                jsonb,
    settled_cost           numeric GENERATED ALWAYS AS ((settled #>> '{cost,total}')::numeric) STORED,
    settled_monthly_cost   numeric GENERATED ALWAYS AS ((settled #>> '{monthly,total}')::numeric) STORED,
    first_current          jsonb,
    PRIMARY KEY (cluster, id)
);
CREATE INDEX cost_actuals_newest
    ON cost_actuals (cluster, application_namespace, application_name, (measured_on = 'sync') DESC, sync_finished_at DESC);
CREATE INDEX cost_actuals_namespaces ON cost_actuals USING gin (namespaces);
COMMENT ON TABLE cost_actuals IS 'One record per measured sync; early and settled are figures as they are served.';
COMMENT ON COLUMN cost_actuals.resources IS 'The listed [group, kind, namespace, name]; null: not known, so namespace scope.';
COMMENT ON COLUMN cost_actuals.namespaces IS 'Namespaces that can hold its pods.';
