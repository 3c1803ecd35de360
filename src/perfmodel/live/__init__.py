"""Figures with sliders and predict-first prompts that live in JupyterLab and on the static page."""
