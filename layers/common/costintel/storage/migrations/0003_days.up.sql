-- Days: the whole cluster's, kept as collections, and the series of each Application folded from them.

ALTER TABLE collections
    ADD COLUMN source text NOT NULL DEFAULT '',
    ADD COLUMN healed boolean NOT NULL DEFAULT false;
COMMENT ON TABLE collections IS 'Windows of the whole cluster. kind hour: as OpenCost answered; live: the fold of the newest 24 hours; day: a UTC day, folded.';
COMMENT ON COLUMN collections.source IS 'Of a day: hours, or day when it was asked as a whole.';
COMMENT ON COLUMN collections.healed IS 'Of a day: asked as a whole in the place of its hours.';

CREATE TABLE cost_daily (
    cluster                  text NOT NULL,
    application_namespace    text COLLATE "C" NOT NULL,
    application_name         text COLLATE "C" NOT NULL,
    scope                    text NOT NULL CHECK (scope IN ('application', 'namespace')),
    day                      date NOT NULL,
    deployment_namespace     text NOT NULL,
    cpu_cost                 finite_numeric NOT NULL,
    ram_cost                 finite_numeric NOT NULL,
    gpu_cost                 finite_numeric NOT NULL,
    storage_cost             finite_numeric NOT NULL,
    network_cost             finite_numeric NOT NULL,
    load_balancer_cost       finite_numeric NOT NULL,
    idle_cpu_cost            finite_numeric NOT NULL,
    idle_ram_cost            finite_numeric NOT NULL,
    idle_complete            boolean NOT NULL,
    cpu_core_hours_requested finite_numeric NOT NULL,
    ram_byte_hours_requested finite_numeric NOT NULL,
    cpu_core_hours_used      finite_numeric NOT NULL,
    ram_byte_hours_used      finite_numeric NOT NULL,
    measured_hours           finite_numeric NOT NULL,
    complete                 boolean NOT NULL,
    source                   text NOT NULL,
    PRIMARY KEY (cluster, application_namespace, application_name, scope, day)
);
CREATE INDEX cost_daily_days ON cost_daily (cluster, day);
COMMENT ON TABLE cost_daily IS 'What an Application cost on a UTC day, in one scope. A day without a row: nothing of it was measured, or it cost nothing; the day itself tells which.';

CREATE TABLE cost_daily_progress (
    cluster               text NOT NULL,
    application_namespace text COLLATE "C" NOT NULL,
    application_name      text COLLATE "C" NOT NULL,
    scope                 text NOT NULL CHECK (scope IN ('application', 'namespace')),
    ownership             text NOT NULL,
    folded_from           date NOT NULL,
    folded_until          date NOT NULL,
    updated_at            timestamptz NOT NULL,
    PRIMARY KEY (cluster, application_namespace, application_name, scope),
    CHECK (folded_from <= folded_until)
);
COMMENT ON TABLE cost_daily_progress IS 'Which days an Application''s series covers, both ends included: a day without cost leaves no row there.';
COMMENT ON COLUMN cost_daily_progress.ownership IS 'Digest of what it was folded with; another one and the series is folded again.';
