"""No row: published values of these schedulers without their models are in other labs' sheets."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Y. Sheng and others, 'FlexGen: High-Throughput Generative Inference of Large Language Models "
    "with a Single GPU', ICML 2023, arXiv:2303.06865v2; Q. Liang, W. A. Hanafy, A. Ali-Eldin and "
    "P. Shenoy, 'Model-driven Cluster Resource Management for AI Workloads in Edge Clouds', ACM "
    "TAAS 18(1), 2023",
    unheld="FlexGen's Table 4 has two models with and without the policy search. All four runs "
    "are rows of the FlexGen lab. Ibis' applications placed with and without its queueing "
    "model are a row of the edge cluster's lab. This lab draws its jobs, machines and "
    "applications, so no published number applies to them.",
)
"""The losses without a model are this lab's own results."""
