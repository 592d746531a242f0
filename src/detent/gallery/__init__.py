"""Ready models, each with the closed form or the published numbers it is checked against."""
