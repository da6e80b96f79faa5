"""Analysis of fitted models: tables, groups, contrasts, scores."""
