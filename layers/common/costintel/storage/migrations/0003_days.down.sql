DROP TABLE cost_daily_progress;
DROP TABLE cost_daily;
-- Without their columns nobody could read them.
DELETE FROM collections WHERE kind = 'day';
COMMENT ON TABLE collections IS 'Windows of the whole cluster. kind hour: as OpenCost answered; live: the fold of the newest 24 hours.';
ALTER TABLE collections DROP COLUMN healed, DROP COLUMN source;
