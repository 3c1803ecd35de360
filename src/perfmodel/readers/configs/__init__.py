"""Rules by which a model's `config.json` becomes a shape, by family of models."""
