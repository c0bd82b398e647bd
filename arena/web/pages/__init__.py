"""The pages: functions that read a store and return a `Page`, without HTML and without a request."""
