"""Webhooks: messages of what happens in leagues to addresses of authors and organisers, such as those of chat rooms."""

from arena.web.live.site_plugins import Extension
from arena_webhooks.mailing import begin
from arena_webhooks.pages import HERE, router
from arena_webhooks.tables import TABLES

WEBHOOKS = Extension(
    "webhooks",
    router,
    begin,
    (TABLES,),
    title="Webhooks",
    page=HERE,
    about="News of all leagues in a channel of Discord or Slack",
)
