"""Analysis of fitted models: tables, groups, lineage, scores."""
