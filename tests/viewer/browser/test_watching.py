"""What the other tests rely on: nothing that goes wrong in a window goes unnoticed."""

from __future__ import annotations

import re

import pytest


@pytest.mark.parametrize(
    ("action", "noticed"),
    [
        ("console.error('oh')", "console: oh"),
        ("setTimeout(() => { throw new Error('ah'); })", "error: ah"),
        ("alert('boo')", "dialog: boo"),
        ("fetch('http://elsewhere.invalid/').catch(() => {})", "console: .*Content Security Policy"),
        ("location.assign('http://elsewhere.invalid/')", "a request to http://elsewhere.invalid/"),
        ("fetch('api/nothing').catch(() => {})", "status 404"),
        ("{ document.body.append(document.createElement('script')); document.body.lastChild.text = '1'; }", "console:"),
        ("document.body.insertAdjacentHTML('beforeend', '<b>')", "error:|console:"),
        ("document.body.setAttribute('style', 'color: red')", "console: .*Content Security Policy"),
    ],
)
def test_trouble_is_noticed(look, chunked_viewer, action, noticed):
    window = look(chunked_viewer)
    window.shows_card(0)
    assert window.trouble == []
    window.expect_trouble(".")
    page_script = f"setTimeout(() => {{ {action} }})"  # as the page itself would, and not as one who may do everything
    window.page.evaluate(page_script)
    assert window.comes_true(lambda: any(matches(noticed, said) for said in window.trouble)), window.trouble


def matches(pattern, said):
    return re.search(pattern, said) is not None
