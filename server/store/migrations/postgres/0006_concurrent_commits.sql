-- Commits of several nodes no longer share rows: a commit that was slow or paused made all others
-- wait. A server of an earlier version would still share them. Its open transactions end first, and
-- then its epoch, so that it commits nothing more and exits. Other nodes take over its matches at
-- once.
SELECT 1 FROM node FOR UPDATE;
UPDATE node SET epoch = epoch + 1, lease_until = 'epoch', address = '', leads = false;

-- The row of finished matches now has the base of their numbers, which are at most the base so far.
-- Each later number is base + (transaction id << 20) + position in the transaction.
COMMENT ON COLUMN given_number.last IS
    'The highest assigned number; of finished_match: the base of the numbers';

-- The id of the transaction that wrote a record. The record with the highest version is valid. Two
-- nodes that write one record at the same time leave two rows, until the next write removes them.
ALTER TABLE note
    ADD COLUMN version BIGINT NOT NULL DEFAULT 0,
    DROP CONSTRAINT note_pkey,
    ADD PRIMARY KEY (name, version);
