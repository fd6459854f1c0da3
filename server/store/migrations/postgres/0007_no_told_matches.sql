-- Nodes ask each other for their matches in play when these are listed.
DROP TABLE told_match;
