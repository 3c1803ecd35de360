"""The lab "Which tile sizes should you try?": counts, scores, predictors and measured times."""
