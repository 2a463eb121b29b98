# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Prints a header of xpose's as the API reference shows it, line for line.

usage: public_declarations.py HEADER

Doxygen reads every header through this.
- The inline namespace of the ABI goes, so that names read as users write them. In its place stands a group with the
  header's name, which a page of docs/api names.
- Template parameters without a name go: `class = std::enable_if_t<..>` only decides whether an overload takes part. A
  default from xpose::detail goes, too; what it stands for follows from the arguments. A condition of two overloads that
  differ in nothing else stays: `enable_if_mdspans<Policy, In, Out> = 0`.
- What gives or takes a type of xpose::detail is not for users, and goes: overloads that only explain why a call does not
  compile, members for the policies' own use, bases and initial values.
- What a contract requires, throws, costs and so on begins a paragraph.
- `typedef struct x {..} x;` of the C header becomes `struct x {..};`, so that x is declared once.
"""

import os
import re
import sys

OPENING = re.compile(r"^inline namespace v\d+ \{$", re.MULTILINE)
CLOSING = re.compile(r"^\}  // namespace v\d+$", re.MULTILINE)
TYPEDEF = re.compile(r"^typedef (enum|struct) (\w+)(?: XPOSE_C_ENUM)? \{(.*?)^\} \2;", re.MULTILINE | re.DOTALL)
UNNAMED = re.compile(r"(class|typename|std::enable_if_t<.*>)\s*=", re.DOTALL)
OF_DETAIL = re.compile(r"(?:^(?:///|template <| {8}).*\n)*^detail::\w.*\n(?:(?!^\}).*\n)*?^\}.*\n"  # a function at namespace scope
                       r"|^  template <.*>\n  \w+\(.*\bdetail::.*\n(?:.*\n)*?  \}$"  # a constructor
                       r"|^  (?:explicit )?constexpr .*\bdetail::.*(?:\n {6}.*)*", re.MULTILINE)  # a member
DETAIL_DEFAULT = re.compile(r"(class \w+)\s*=.*\bdetail::", re.DOTALL)
VALUE_OF_DETAIL = re.compile(r"(?<=\w)(?:\{detail::\w+\}| = detail::[^;\n]*(?=;)| : detail::[^{]*(?= \{))")
CLAUSE = re.compile(r"(\.(?:\n *///)? )(Requires|Throws|Returns when|Cost:|Memory:)(?=\s)")


def end_of_parameter(text, start):
    """The place behind the template parameter that begins at start: its comma, or the list's closing bracket."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] in "<(":
            depth += 1
        elif text[place] in ">)":
            if depth == 0:
                return place
            depth -= 1
        elif text[place] == "," and depth == 0:
            return place
    return len(text)


def shown(parameter):
    """The parameter as the reference has it, or "" if it has it not."""
    if UNNAMED.match(parameter.strip()):
        return ""
    from_detail = DETAIL_DEFAULT.match(parameter.strip())
    return from_detail[1] if from_detail else parameter.replace("detail::enable_if_", "enable_if_")


def with_shown_parameters(text):
    """The same lines; breaks within what goes move behind the list, so that messages have the right line."""
    done, place = "", 0
    for head in re.finditer(r"\btemplate <", text):
        if head.end() < place:
            continue
        start = end = head.end()
        done += text[place:start]
        parameters = []
        while text[end] != ">" or not parameters:
            end = end_of_parameter(text, start)
            parameters.append(text[start:end])
            start = end + 1
        kept = ",".join(filter(None, map(shown, parameters)))
        done += kept + ">" + "\n" * (",".join(parameters).count("\n") - kept.count("\n"))
        place = start
    return done + text[place:]


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as header:
        text = OF_DETAIL.sub(lambda gone: "\n" * gone[0].count("\n"), header.read())
    text = with_shown_parameters(text)
    group = os.path.splitext(os.path.basename(path))[0]
    text = OPENING.sub(f"/** @defgroup {group} {group} */ /** @{{ */", text, count=1)
    text = CLOSING.sub("/** @} */", text, count=1)
    text = OPENING.sub("", CLOSING.sub("", text))
    text = VALUE_OF_DETAIL.sub("", text)
    text = CLAUSE.sub(r"\1<p><b>\2</b>", text)
    sys.stdout.write(TYPEDEF.sub(r"\1 \2 {\3};", text))


if __name__ == "__main__":
    main()
