-- What the cluster said lives in it, when and how completely it said so; what OpenCost said of itself; how the jobs went.
-- Keys sort by their bytes (COLLATE "C") everywhere, so that pages follow each other in the order the code knows.

CREATE TABLE live_lists (
    cluster           text NOT NULL,
    kind              text NOT NULL,
    listed_at         timestamptz NOT NULL,
    complete          boolean NOT NULL,
    error             text NOT NULL,
    last_complete_at  timestamptz,
    first_complete_at timestamptz,
    PRIMARY KEY (cluster, kind),
    CHECK ((last_complete_at IS NULL) = (first_complete_at IS NULL))
);
COMMENT ON TABLE live_lists IS 'How the newest list of each kind of live object went; its rows are those of the last complete one.';

CREATE TABLE applications (
    cluster               text NOT NULL,
    namespace             text COLLATE "C" NOT NULL,
    name                  text COLLATE "C" NOT NULL,
    project               text NOT NULL,
    destination_server    text NOT NULL,
    destination_name      text NOT NULL,
    destination_namespace text NOT NULL,
    created_at            timestamptz NOT NULL,
    labels                jsonb NOT NULL,
    deleting              boolean NOT NULL,
    resources             jsonb,
    last_sync             jsonb,
    history               jsonb NOT NULL,
    sync_status           text NOT NULL,
    health_status         text NOT NULL,
    images                text[] NOT NULL,
    application_set       text NOT NULL,
    parent_namespace      text,
    parent_name           text,
    digest                text NOT NULL,
    PRIMARY KEY (cluster, namespace, name),
    CHECK ((parent_namespace IS NULL) = (parent_name IS NULL))
);
COMMENT ON TABLE applications IS 'The Argo CD Applications of the last complete list.';
COMMENT ON COLUMN applications.resources IS 'What it manages, as [group, kind, namespace, name]; null: not known.';
COMMENT ON COLUMN applications.last_sync IS '[finished, started or null, revision, revisions, initiator]; history: a list of the same, oldest first.';
COMMENT ON COLUMN applications.digest IS 'Of the whole row, so that one that did not change is neither sent nor written again.';

CREATE TABLE namespaces (
    cluster    text NOT NULL,
    name       text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    labels     jsonb NOT NULL,
    digest     text NOT NULL,
    PRIMARY KEY (cluster, name)
);
COMMENT ON TABLE namespaces IS 'The namespaces of the last complete list.';

CREATE TABLE recommendations (
    cluster            text NOT NULL,
    namespace          text COLLATE "C" NOT NULL,
    name               text COLLATE "C" NOT NULL,
    created_at         timestamptz NOT NULL,
    target_api_version text NOT NULL,
    target_kind        text NOT NULL,
    target_name        text NOT NULL,
    update_mode        text NOT NULL,
    policies           jsonb NOT NULL,
    recommendations    jsonb NOT NULL,
    conditions         text[] NOT NULL,
    digest             text NOT NULL,
    PRIMARY KEY (cluster, namespace, name)
);
COMMENT ON TABLE recommendations IS 'The VerticalPodAutoscalers of the last complete list; amounts are [cores or null, bytes or null] as exact text.';

CREATE TABLE autoscalers (
    cluster            text NOT NULL,
    namespace          text COLLATE "C" NOT NULL,
    name               text COLLATE "C" NOT NULL,
    created_at         timestamptz NOT NULL,
    target_api_version text NOT NULL,
    target_kind        text NOT NULL,
    target_name        text NOT NULL,
    min_replicas       bigint,
    max_replicas       bigint,
    current_replicas   bigint,
    targets            jsonb NOT NULL,
    digest             text NOT NULL,
    PRIMARY KEY (cluster, namespace, name)
);
COMMENT ON TABLE autoscalers IS 'The HorizontalPodAutoscalers of the last complete list; targets are [resource, container, percent or null].';

CREATE TABLE opencost_status (
    cluster    text PRIMARY KEY,
    version    text,
    pricing    jsonb,
    reachable  boolean NOT NULL,
    error      text NOT NULL,
    checked_at timestamptz NOT NULL
);
COMMENT ON TABLE opencost_status IS 'What OpenCost last said of itself; null: it never did.';

CREATE TABLE run_summaries (
    cluster     text NOT NULL,
    job         text NOT NULL,
    started_at  timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    summary     jsonb NOT NULL,
    PRIMARY KEY (cluster, job, started_at)
);
COMMENT ON TABLE run_summaries IS 'What the newest runs of each job did, skipped and left.';

COMMENT ON TABLE work IS 'What is still to be done. kind sync: a sync until its settled figure is stored; hour: an hour to ask again; install, correction, prune: what the live list showed to be missing, contradicted or gone.';
-- Whether an Application has a sync waiting.
CREATE INDEX work_syncs ON work (cluster, (payload #> '{sync,application}')) WHERE kind = 'sync';
-- Usually none: records whose notification left out when the sync finished.
CREATE INDEX cost_actuals_unknown_finish ON cost_actuals (cluster) WHERE NOT finished_at_known;
