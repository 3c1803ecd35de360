"""The lab "Tülu: what thirty-three points mean".

`averages` makes one number of a row of scores, `study` reads the human study, `raters` draws two
readers who guess, `answers` holds pairs for the reader to rate, `inputs` the authors' model cards.
"""
