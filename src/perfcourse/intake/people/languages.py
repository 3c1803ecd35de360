"""Moodle's tables in other languages, by its language packs: headers, words and months.

The words are those of the packs `de`, `es`, `fr`, `pt` and `zh_cn`, version 4.5: `assign.php`,
`moodle.php`, `assignfeedback_comments.php` and `langconfig.php`. Names of months are the
languages' own, which Moodle takes from the system.
"""

from __future__ import annotations

import re
from datetime import datetime

_ENGLISH = (
    "Identifier",
    "Full name",
    "Username",
    "ID number",
    "Email address",
    "Status",
    "Group",
    "Grade",
    "Maximum Grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
    "First name",
    "Last name",
)
_HEADERS = {
    "de": "ID|Vollständiger Name|Anmeldename|ID-Nummer|E-Mail-Adresse|Status|Gruppe|Bewertung|"
    "Bestwertung|Bewertung kann geändert werden|Zuletzt geändert (Abgabe)|"
    "Zuletzt geändert (Bewertung)|Feedback als Kommentar|Vorname|Nachname",
    "es": "Identificador|Nombre completo del usuario|Nombre de usuario|Número de ID|"
    "Dirección de correo|Estado|Grupo|Calificación|Calificación máxima|"
    "La calificación puede ser cambiada|Última modificación (entrega)|"
    "Última modificación (calificación)|Comentarios de retroalimentación|Nombre|Apellido(s)",
    "fr": "Identifiant|Nom complet de l’utilisateur|Nom d’utilisateur|Numéro d’identification|"
    "Adresse de courriel|Statut|Groupe|Note|Note maximale|La note peut être modifiée|"
    "Dernière modification (travail remis)|Dernière modification (note)|"
    "Feedback par commentaires|Prénom|Nom de famille",
    "pt": "Identificador|Nome completo do utilizador|Nome de utilizador|"
    "Número de identificação (ID)|E-mail|Estado|Grupo|Avaliação|Nota máxima|"
    "A nota pode ser alterada.|Última atualização (submissão)|Última atualização (avaliação)|"
    "Comentários de feedback|Nome|Apelido",
    "zh": "标识符|用户全名|用户名|学号|电子邮件地址|状态|小组|成绩|最高分|允许更改成绩|"
    "上次修改（作业）|上次修改（评分）|反馈意见|名|姓",
}
"""In the order of `_ENGLISH`."""
_TELL = ("Grade can be changed", "Last modified (grade)")
"""Columns whose names no two languages share; a worksheet has both."""
DRAFTS = (
    "Draft (not submitted)",
    "Reopened",
    "Entwurf (nicht abgegeben)",
    "Erneut geöffnet",
    "Borrador (no enviado)",
    "Reabierto",
    "Brouillon (non remis)",
    "Rouvert",
    "Trabalho em curso (não submetido)",
    "Reaberta",
    "草稿（未提交）",
    "重新开启",
)
"""How the status begins of what isn't handed in yet."""
LOCKED = ("No", "Nein", "Non", "Não", "否")
"""In the column that says whether a grade can be changed."""
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december",
    "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember",
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre",
    "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
)
_NUMBERS = {name: n for names in _MONTHS for n, name in enumerate(names.split("|"), 1)}
_DATE = re.compile(
    r"(?:\w+(?:-feira)?,? )?(\d{1,2})\.? (?:de )?(\w+) (?:de )?(\d{4})(?:,| às) (\d{1,2}):(\d\d)"
)
"""`Montag, 5. Oktober 2026, 21:14`, `lunes, 5 de octubre de 2026, 21:14`, and so on."""
_CHINESE = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日 (?:\w+ )?(\d{1,2}):(\d\d)")


def in_english(header: tuple[str, ...]) -> tuple[str, ...]:
    """Return the header of a worksheet in English, and any other header unchanged.

    >>> in_english(("ID", "Bewertung kann geändert werden", "Zuletzt geändert (Bewertung)"))
    ('Identifier', 'Grade can be changed', 'Last modified (grade)')
    """
    for words in _HEADERS.values():
        english = dict(zip(words.split("|"), _ENGLISH, strict=True))
        if set(_TELL) <= {english.get(name.strip(), "") for name in header}:
            return tuple(english.get(name.strip(), name) for name in header)
    return header


def date_in_words(text: str) -> datetime | None:
    """Return a date as Moodle writes it in one of the languages, without a zone; None for others.

    >>> date_in_words("lundi 5 octobre 2026, 21:14")
    datetime.datetime(2026, 10, 5, 21, 14)
    """
    if match := _CHINESE.fullmatch(text):
        year, month, day, hour, minute = map(int, match.groups())
        return datetime(year, month, day, hour, minute)
    match = _DATE.fullmatch(text)
    month = _NUMBERS.get(match[2].casefold(), 0) if match else 0
    if match is None or not month:
        return None
    return datetime(int(match[3]), month, int(match[1]), int(match[4]), int(match[5]))
