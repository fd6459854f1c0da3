-- Matches in play that a node has released: it stores nothing of them any more, though it keeps its
-- lease, and another node takes them over. The row goes with the match, or when the node is taken
-- over itself.
CREATE TABLE released_match (
    match_key BIGINT PRIMARY KEY,
    -- How many entries its journal has, and the batches that they are in.
    entries BIGINT NOT NULL,
    batches BIGINT[] NOT NULL
);

ALTER TABLE node
    -- How often a server has opened it. Its batches get their numbers again after a crash that lost
    -- some; so what was read of a node is still so only if this and the newest number are.
    ADD COLUMN openings BIGINT NOT NULL DEFAULT 0;
