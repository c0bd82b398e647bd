// The table of a person, or of its spectators: asks the server for news, draws the table, sends answers.
// An answer names the question that it answers, and may be sent again: the server takes it once.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  var root = document.getElementById("play");
  if (!root) return;
  var Arena = window.Arena;
  var html = Arena.html;
  var to = root.dataset;
  var plays = Boolean(to.answer);
  var news = JSON.parse(document.getElementById("news").textContent);
  var told = [];
  var form = null; // the form of the open question
  var shownQuestion = null; // which question the panel of moves shows
  var sending = null; // the answer that is on its way
  var asksToResign = false;
  var failures = 0;
  var quiet = 0; // looks without news
  var timer = null;
  var looking = false;
  var endsAt = 0; // of the time for the move, by the clock of this machine
  var warned = 0;
  var scores = null; // as they were last seen
  var roundNo = null; // the hand or the round
  var roundFrom = null; // the scores at its beginning, if that was seen
  var swing = { gain: 0 }; // the largest change of them that was seen
  var lastTick = Date.now();
  var REPLY_MS = 10000; // a request without a reply is given up, and made again
  var OUTCOME_MS = 4000; // what became of an answer is known earlier
  var DONE = { over: true, failed: true };

  var status = html("p", { class: "play-status", role: "status", tabindex: "-1" });
  var clock = html("p", { class: "play-clock", role: "timer", "aria-live": "off" });
  var trouble = html("p", { class: "notice", hidden: true });
  var notTaken = html("p", { class: "notice", role: "alert", hidden: true }); // why the last answer wasn't taken
  var since = html("section", { class: "since", "aria-label": plays ? "Since your last move" : "What happened last" });
  var table = html("section", { class: "play-table", "aria-label": "The table" });
  var moves = html("section", { class: "play-moves", "aria-label": "Your move", tabindex: "-1" });
  var result = html("section", { class: "play-result", "aria-label": "Result", tabindex: "-1", hidden: true });
  var list = html("details", { class: "by-list", hidden: true }, html("summary", { text: "All moves as a list" }), moves);
  var host = html("div", { class: "table-host" });
  var drawnFor = null; // the question at which the table was drawn last
  var tip = ""; // how to choose on the table
  var taken = []; // the listed moves that are cards of the table
  var opened = null; // the other seat whose cards are large
  var wide = window.matchMedia("(min-width: 68rem)");
  var history = html("ol", { class: "told", tabindex: "0", "aria-label": "Everything that has happened" });
  var story = html("details", { class: "story" }, html("summary", { text: "Everything that has happened" }), history);
  var known = html("details", { hidden: true, open: true }, html("summary", { text: "What you know from the start" }));
  var resign = html("div", { class: "resign" });
  var about = html("p", { class: "quiet" });
  var title = document.querySelector("main h1");
  var head = html("div", { class: "game-head" });

  function seatName(seat) { return news.names[seat] || "seat " + seat; }

  // --- News ---

  function take(fresh) {
    var from = fresh.told_from;
    told = told.slice(0, from).concat(fresh.told);
    var before = news;
    news = fresh;
    if (news.question) endsAt = Date.now() + news.question.left_ms;
    if (!news.question || (before.question && before.question.number !== news.question.number)) { warned = 0; sending = null; }
    if (news.refusals !== before.refusals) sending = null;
    draw();
  }

  function look(whole) {
    if (looking) return;
    looking = true;
    clearTimeout(timer);
    var after = whole ? -1 : news.number;
    fetch(to.news + "?after=" + after + "&told=" + told.length, { cache: "no-store", signal: patience() })
      .then(answer => {
        if (answer.status === 404 || answer.status === 410) { location.reload(); return null; } // the server was started again
        if (answer.status === 204) { quiet += 1; failures = 0; showTrouble(""); return null; }
        if (!answer.ok) throw new Error(String(answer.status));
        return answer.json();
      })
      .then(fresh => { if (fresh) { quiet = 0; failures = 0; showTrouble(""); take(fresh); } })
      .catch(() => {
        failures += 1;
        if (failures > 1) showTrouble("There is no connection to the server. Trying again…");
      })
      .finally(() => { looking = false; schedule(); });
  }

  function pause() {
    if (failures) return Math.min(10000, 1000 * failures);
    if (DONE[news.phase] && (news.match !== null || news.phase === "failed")) return news.live ? 1000 : 0;
    if (document.hidden) return 5000;
    if (news.phase === "asking" && plays && !sending && !news.answered) return 2000;
    return Math.min(plays ? 1000 : 2000, 150 * Math.pow(1.4, quiet));
  }

  function schedule() {
    clearTimeout(timer);
    var wait = pause();
    if (wait) timer = setTimeout(look, wait);
  }

  function showTrouble(text) {
    trouble.hidden = !text;
    trouble.textContent = text;
  }

  function showNotTaken(text) {
    notTaken.hidden = !text;
    notTaken.textContent = text;
  }

  function patience() { return AbortSignal.timeout ? AbortSignal.timeout(REPLY_MS) : undefined; }

  // --- Answers ---

  function send(path, body, again) {
    return fetch(path, {
      method: "POST", cache: "no-store", signal: patience(), body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", "X-Arena-Form": to.csrf },
    }).then(answer => {
      if (answer.status >= 500) throw new Error(String(answer.status));
      if (answer.status === 403 || answer.status === 404) location.reload();
      if (answer.status === 409 || answer.status === 422 || answer.status === 413) return answer.text().then(text => { sending = null; showNotTaken(answer.status === 409 ? text.trim() : "This answer can't be sent: it is too long, or broken. Change it, or load the page again."); });
      return null;
    }).catch(() => {
      showTrouble("Your answer has not arrived yet. Trying again…");
      return new Promise(resolve => { setTimeout(resolve, 1500); }).then(() => again() ? send(path, body, again) : null);
    });
  }

  function play(answer) {
    var question = news.question;
    if (!question || sending || news.answered) return;
    showNotTaken("");
    var mine = sending = Object.assign({ ask: question.number }, answer);
    moves.setAttribute("aria-busy", "true");
    root.querySelectorAll(".play-moves button, .play-moves input, .move-choices button, .play-table button.card-face").forEach(one => { one.disabled = true; });
    root.classList.remove("is-turn");
    shownQuestion = question.number + " sending"; // whatever comes next is drawn
    say(waitsFor());
    send(to.answer, mine, () => sending === mine).then(() => {
      showTrouble("");
      quiet = 0;
      if (sending === mine) setTimeout(() => { giveBack(mine); }, OUTCOME_MS);
      else { drawMoves(); drawTable(); }
      look(sending === null);
    });
  }

  // Opens the form again after an answer of which nothing was heard. Answering twice does no harm.
  function giveBack(mine) {
    if (sending !== mine) return;
    sending = null;
    draw();
    look(true);
  }

  function giveUp() {
    asksToResign = false;
    send(to.resign, {}, () => !DONE[news.phase]).then(() => { look(true); });
    drawResign();
  }

  // --- What is shown ---

  // `heard`: what only screen readers are told, because it is on the page beside.
  function say(text, heard) {
    var whole = heard ? text + " " + heard : text;
    if (status.textContent === whole) return;
    status.replaceChildren(text, heard ? html("span", { class: "visually-hidden", text: " " + heard }) : "");
  }

  // What to do now, from the moves that are listed, or from what the form still needs.
  function asked() {
    if (form) return form.next(needsPlayer() ? "tap a player, then one of their cards" : "");
    var all = news.question.groups.map(group => {
      var texts = group.choices.map(choice => choiceWords(choice, group).toLowerCase());
      var few = texts.length < 5 && group.choices.every(choice => choice.text && choice.move.card === undefined && choice.move.position === undefined);
      var list = few ? texts.join(", ").replace(/, ([^,]*)$/, " or $1") : "";
      return group.title === "moves" ? list || "choose a move" : group.title + (few && texts.length > 1 ? ": " + list : "");
    });
    if (tip) all[0] += tip;
    var text = all.map((one, at) => (at ? ", or " : "") + (at ? one.charAt(0).toLowerCase() + one.slice(1) : one).replace(/^or /, "")).join("") || "Write your move";
    return text.charAt(0).toUpperCase() + text.slice(1) + ".";
  }

  function waitsFor() {
    if (news.phase === "opening") return "The table is being set up…";
    if (news.phase === "failed") return news.failed + " The game isn't stored.";
    if (news.phase === "over") return plays && news.result ? outcome() : "The game is over.";
    if (!plays) return "Playing.";
    if (news.leaving) return "You have resigned.";
    if (news.out) return "Your time for this move ran out, so your seat is out.";
    if (news.phase === "asking") return news.answered || sending ? "Your move is sent." : news.refused ? "Not possible: " + news.refused : asked();
    return "The others are playing…";
  }

  function lately() {
    var lines = news.question ? told.slice(news.question.since) : [];
    return Arena.plain(lines.slice(-4).join(" "));
  }

  function points(number) { return Arena.minus(number) + (Math.abs(number) === 1 ? " point" : " points"); }

  function named(seat) { return plays && seat === news.person ? "you" : seatName(seat); }

  // The result in words to the player.
  function outcome() {
    var own = news.result[news.person];
    var best = news.result.filter(one => one !== own).sort((a, b) => a.rank - b.rank)[0];
    var apart = own.score - best.score;
    return (own.rank > 1 ? "You are " + own.rank + (["nd", "rd"][own.rank - 2] || "th") + " of " + news.result.length : best.rank > 1 ? "You win" : "You share the first place")
      + (apart ? ", " + points(Math.abs(apart)) + (apart < 0 ? " behind " : " ahead of ") + seatName(best.seat) : "") + "." + whyOut(own);
  }

  // Who has won, with faces under crowns.
  function winners(places) {
    var first = places.filter(one => one.rank === 1);
    var own = news.result[news.person];
    var text = first.map(one => named(one.seat)).join(", ").replace(/, ([^,]*)$/, " and $1") + (first.length > 1 ? " tie\u00a0for\u00a0first" : plays && own.rank === 1 ? " win!" : " wins");
    return html("div", { class: "victory" + (first.length > 1 ? " is-shared" : "") },
      html("div", { class: "victors" }, first.slice(0, 3).map(one => html("span", {}, Arena.tables.crown(), Arena.tables.face(seatName(one.seat))))),
      html("div", {}, html("h2", { text: text.replace(/^y/, "Y") }),
        html("p", { text: "with " + points(first[0].score) + (first[0].score < 0 ? ", the fewest lost." : ".") })));
  }

  function whyOut(place) {
    if (place.verdict === "timeout") return " Your time for a move ran out, so your seat forfeited.";
    if (place.verdict !== "resigned") return "";
    return news.leaving && news.leaving !== "resigned" ? " Nothing was heard of your browser for too long, so your seat forfeited." : " You resigned.";
  }

  function heading(text) { return html("h2", { class: "visually-hidden", text }); }

  function focusIn(part) { return part.contains(document.activeElement); }

  function draw() {
    about.textContent = [news.ruleset, news.names.length ? (plays ? "you play with " : seatName(news.person) + ", a person, plays with ") + news.names.filter((_, seat) => seat !== news.person).join(", ") : null].filter(Boolean).join(" · ");
    root.classList.toggle("is-turn", Boolean(plays && news.question && !news.answered && !sending));
    drawSince();
    drawMoves();
    drawTable();
    if (wantsFocus) { wantsFocus = false; focusFirst(); }
    drawResult();
    drawResign();
    moves.toggleAttribute("aria-busy", Boolean(sending || news.answered));
    say(waitsFor(), news.question && !news.answered && !news.refused ? lately() : "");
    tick();
    setTimeout(drawStory); // in a task of its own, so that none is long
  }

  function drawStory() {
    history.replaceChildren(
      ...told.map((line, at) => html("li", { class: news.question && at >= news.question.since ? "is-new" : null }, Arena.named(line)))
    );
    history.scrollTop = history.scrollHeight;
    if (news.known && news.known.length && known.hidden) {
      known.hidden = false;
      var tastes = Arena.cards.tastes(news.game, news.worth);
      var lines = html("ul", {}, news.known.map(line => html("li", { text: line.replace(/ -(?=\d)/g, " −") })));
      known.append(tastes ? html("div", {}, tastes, html("details", {}, html("summary", { text: "In words" }), lines)) : lines);
    }
  }

  function drawSince() {
    var from = plays && news.question ? news.question.since : Math.max(0, told.length - 6);
    var lines = told.slice(from);
    since.replaceChildren(
      ...(lines.length ? [html("ul", { class: "told", title: Arena.plain(lines.join("\n")) }, lines.slice(-14).map(line => html("li", {}, Arena.named(line))))] : [])
    );
    since.hidden = !lines.length;
  }

  function drawTable() {
    var view = plays ? (news.last_view || (news.only || news.ask || {}).view) : news.view;
    if (!view) { table.replaceChildren(html("p", { class: "empty", text: waitsFor() })); return; }
    var inTable = focusIn(table) ? document.activeElement.dataset : null;
    Arena.you = plays ? news.names[news.seat] : null;
    var open = plays && news.question && !news.answered && !sending;
    var context = {
      game: news.game, names: news.names, worth: news.worth, eyes: plays && !news.last_view ? news.seat : null, views: null, act: open ? act : null, over: news.phase === "over", events: plays ? (news.end || (open && news.ask) || {}).events : news.events,
      front: plays ? news.seat : moverOf(view), stays: plays, composes: Boolean(open && form),
      open: seat => wide.matches || seat === opened,
      choose: plays && !wide.matches ? seat => { opened = opened === seat ? null : seat; drawTable(); } : null,
    };
    taken = [];
    tip = "";
    if (open && form) form.draws();
    if (Array.isArray(view.scores)) {
      if (scores) view.scores.forEach((score, seat) => { if (Math.abs(score - scores[seat]) > Math.abs(swing.gain)) swing = { seat, gain: score - scores[seat] }; });
      var round = view.hand_no === undefined ? view.round_no : view.hand_no;
      if (round !== roundNo) roundFrom = roundNo === null ? null : view.scores;
      roundNo = round;
      scores = view.scores;
    }
    var drawn = Arena.tables.draw(view, context);
    if (DONE[news.phase]) { drawn.prepend(result); drawn.classList.add("has-result"); }
    if (open) drawChoices(drawn);
    else if (plays && !DONE[news.phase]) front(drawn).append(html("div", { class: "move-choices" })); // keeps the hand in its place
    var turn = open ? shownQuestion : null;
    if (host.firstChild) placeTable(drawn, turn);
    else setTimeout(placeTable, 0, drawn, turn); // the first table is laid out in a task of its own
    if (inTable && (inTable.card || inTable.key)) {
      var same = table.querySelector(inTable.key ? '[data-key="' + CSS.escape(inTable.key) + '"]' : 'button[data-card="' + CSS.escape(inTable.card) + '"][data-zone="' + CSS.escape(inTable.zone || "") + '"]:not(:disabled)');
      if (same && !same.disabled) same.focus(); else if (open) focusFirst();
    }
  }

  function placeTable(drawn, turn) {
    if (turn !== null && turn === drawnFor) Arena.tables.merge(host, [drawn], true);
    else host.replaceChildren(drawn);
    drawnFor = turn;
    if (host.parentNode !== table) table.replaceChildren(heading("The table"), host);
    fit();
  }

  function moverOf(view) {
    var turn = view.turn === undefined ? view.to_move : view.turn;
    return typeof turn === "number" ? turn : null;
  }

  function fit() {
    Arena.tables.fit(host, () => DONE[news.phase] ? Infinity : Arena.tables.screen() - (wide.matches ? 8 : 4));
    if (DONE[news.phase] && wide.matches) host.style.setProperty("--room", Math.floor(window.innerHeight - 8 - host.getBoundingClientRect().top - window.scrollY) + "px");
  }

  function front(drawn) { return drawn.querySelector(":scope > .front") || drawn; }

  // The moves that are no card, as buttons beside the cards.
  function drawChoices(drawn) {
    var question = news.question;
    var at = -1;
    var parts = form ? form.bar() : [html("div", { class: "choice-row" }, question.groups.map(group => group.choices.map(choice => {
      at += 1;
      var number = at;
      if (taken.includes(number)) return null;
      return html("button", { type: "button", class: "choice", "data-key": "choice " + number, onclick: () => { play({ choice: number }); } },
        choice.effect ? html("span", {}, html("b", { text: choiceWords(choice, group) }), html("small", { text: choice.effect })) : choiceWords(choice, group), choice.gain ? html("span", { class: "choice-gain", text: Arena.minus(choice.gain) }) : null);
    })))];
    if (!form && !parts[0].firstChild && drawn.querySelector(".is-legal")) parts = html("p", { class: "quiet small", "aria-hidden": "true", text: "You can play the outlined cards." });
    front(drawn).append(html("div", { class: "move-choices" }, parts));
    var laid = form && form.laid();
    if (!laid) return;
    if (!drawn.querySelector(":scope > .table-middle")) laid.classList.add("table-middle");
    front(drawn).before(laid);
  }

  // Whether the next part of the move is a card of another player, and none of them is large.
  function needsPlayer() {
    return opened === null && !wide.matches && news.question.form.items.some(item => item.seat !== null && item.seat !== news.seat && form.wants(item));
  }

  // A listed move on a button: its words, and what it is about if they don't say.
  function choiceWords(choice, group) {
    if (typeof choice.move.card === "string") return Arena.cards.short(news.game, choice.move.card) + (choice.text ? ", " + choice.text : "");
    var text = choice.text || group.title;
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  // Whether a move takes so many of one heap: it has the heap, a number, and nothing else.
  function takes(move, place) {
    var rest = Object.keys(move).filter(key => key !== "type" && key !== place.field);
    return move[place.field] === place.at && rest.length === 1 && move[rest[0]] === place.count;
  }

  // What a click on a card does, if that is certain: the only listed move with it, or putting it into the form.
  function act(name, place) {
    var question = news.question;
    if (form) {
      return form.offer(item => place.zone === "hand" ? item.card === name && item.seat === place.seat : item.seat === null && item.key === String(place.at), name);
    }
    var at = -1;
    var fitting = [];
    question.groups.forEach(group => {
      group.choices.forEach(choice => {
        at += 1;
        var move = choice.move;
        var fits = place.zone === "hand" && place.seat === news.seat ? String(move.card) === name : place.zone === "line" ? move.position === place.at : place.zone === "heap" ? takes(move, place) : false;
        if (fits) fitting.push({ at, gain: choice.gain, words: group.title + ": " + Arena.cards.words(news.game, name) + (choice.text ? ", " + choice.text : "") });
      });
    });
    if (fitting.length !== 1) return null;
    taken.push(fitting[0].at);
    if (place.zone === "heap") tip = ": tap one, and all above it come too";
    return { label: fitting[0].words, legal: true, gain: fitting[0].gain, press: () => { play({ choice: fitting[0].at }); } };
  }

  function drawMoves() {
    var question = news.question;
    var had = focusIn(moves) || (byKeys && document.activeElement === document.body);
    list.hidden = moves.hidden = !plays || !question || Boolean(news.leaving);
    if (moves.hidden) { moves.replaceChildren(); form = null; shownQuestion = null; return; }
    var key = question.number + " " + news.refusals + " " + (sending || news.answered ? "sent" : "open");
    if (key === shownQuestion) return;
    shownQuestion = key;
    form = null;
    var refused = news.refused ? html("p", { class: "notice refused", text: news.refused }) : null;
    var parts = question.groups.length ? listed(question) : question.form ? [composed(question)] : [written(question)];
    if (!question.groups.length && !question.form) list.open = true; // it can only be written
    moves.dataset.ask = question.number;
    moves.replaceChildren(...[heading("Your move"), refused].concat(parts).filter(Boolean));
    if (sending || news.answered) moves.querySelectorAll("button, input").forEach(one => { one.disabled = true; });
    else if (had) wantsFocus = true;
  }

  function focusFirst() {
    var first = list.open ? moves.querySelector("button:not(:disabled), input:not(:disabled)")
      : table.querySelector("button.is-legal:not(:disabled), .move-choices button:not(:disabled)");
    (first || status).focus({ preventScroll: true });
  }
  var wantsFocus = false;
  var byKeys = false; // whether the keyboard was used last
  document.addEventListener("keydown", () => { byKeys = true; });
  document.addEventListener("pointerdown", () => { byKeys = false; });

  function listed(question) {
    var at = -1;
    return question.groups.map(group => html("fieldset", { class: "moves" }, html("legend", { text: group.title }), group.choices.map(choice => {
      at += 1;
      var number = at;
      var spoken = typeof choice.move.card === "string" ? Arena.cards.words(news.game, choice.move.card) : choice.key;
      return html("button", { type: "button", class: "move", "aria-label": spoken + (choice.text ? ", " + choice.text : ""), onclick: () => { play({ choice: number }); } },
        html("b", { text: typeof choice.move.card === "string" || !choice.text ? choice.key : "" }), choice.text ? html("span", { text: choice.text + (choice.effect ? ": " + choice.effect : "") }) : null);
    })));
  }

  function composed(question) {
    var key = "arena draft " + location.pathname + " " + question.number;
    form = Arena.moveForm(question.form, Arena.kept(key, "sessionStorage"), {
      send: play, say, heard: text => { say(waitsFor(), text); }, words: text => Arena.cards.words(news.game, text),
      picture: card => Arena.cards.picture(news.game, card),
      seat: seat => html("span", { class: "bar-who" }, Arena.tables.face(seatName(seat)), html("b", { text: seatName(seat) })),
      changed: now => {
        Arena.keep(key, now, "sessionStorage");
        if (form) drawTable();
      },
    });
    return form.element;
  }

  function written(question) {
    var input = html("input", { id: "written", maxlength: 2000, autocomplete: "off", spellcheck: "false" });
    var key = "arena draft " + location.pathname + " " + question.number;
    input.value = Arena.kept(key, "sessionStorage") || news.typed || "";
    input.addEventListener("input", () => { Arena.keep(key, input.value, "sessionStorage"); });
    var sheet = html("form", { class: "written" },
      html("ul", {}, question.how.map(line => html("li", { text: line }))),
      html("label", { for: "written", text: "Your move" }), input,
      html("button", { class: "primary", text: "Play" }));
    sheet.addEventListener("submit", event => { event.preventDefault(); play({ typed: input.value }); });
    return sheet;
  }

  function drawResign() {
    var here = focusIn(resign);
    resign.hidden = !plays || Boolean(DONE[news.phase]) || Boolean(news.leaving) || news.phase === "opening";
    if (resign.hidden) { resign.replaceChildren(); return; }
    if (asksToResign) {
      resign.replaceChildren(html("p", { text: "Resign? Your seat forfeits the game." }),
        html("button", { type: "button", class: "danger", text: "Yes, resign", onclick: giveUp }),
        html("button", { type: "button", text: "No, play on", onclick: () => { asksToResign = false; drawResign(); } }));
      if (here) resign.querySelectorAll("button")[1].focus();
    } else if (!resign.querySelector("[data-ask]")) {
      resign.replaceChildren(html("button", { type: "button", "data-ask": "", text: "Resign…", onclick: () => { asksToResign = true; drawResign(); } }));
      if (here) resign.querySelector("button").focus();
    }
  }

  function drawResult() {
    var ended = DONE[news.phase];
    if (!ended) { result.hidden = true; return; }
    var was = result.hidden;
    var places = news.result ? news.result.slice().sort((a, b) => a.rank - b.rank || a.seat - b.seat) : [];
    var replay = news.match === null ? null : to.replay.replace("NUMBER", String(news.match));
    result.hidden = false;
    result.replaceChildren(html("div", { class: "ending" + (places.length > 5 ? " of-many" : "") },
      news.phase === "failed" ? html("h2", { text: "The game broke off" }) : winners(places),
      places.length ? html("ol", { class: "places" }, places.map(place => html("li", { class: plays && place.seat === news.person ? "is-you" : null }, html("b", { text: String(place.rank) }), Arena.tables.face(seatName(place.seat)),
        html("span", { class: "seat-name", text: seatName(place.seat) }), plays && place.seat === news.person ? html("span", { class: "quiet", text: "you" }) : null,
        place.verdict ? html("span", { class: "badge fault", text: place.verdict }) : null, html("b", { class: "n", text: Arena.minus(place.score) }),
        roundFrom ? html("small", { title: "in the last round", text: "(" + Arena.signed(place.score - roundFrom[place.seat]) + ")" }) : null))) : null,
      news.phase === "failed" ? html("p", { class: "notice", text: news.failed + " The game isn't stored." })
        : replay === null ? html("p", { class: "quiet", text: news.stored === "" ? "The game waits for the runner of this store, which stores it soon." : "The game is being stored…" }) : null,
      html("p", { class: "toolbar end-links" }, to.again ? html("a", { class: "button primary", href: to.again, text: "Play again" }) : null,
        replay ? html("a", { class: "button", href: replay, text: "Watch the game again" }) : null,
        replay && swing.gain ? html("a", { class: "button", href: replay + "#d=swing", text: "Biggest swing: " + Arena.signed(swing.gain) + " for " + named(swing.seat) }) : null,
        to.again ? html("a", { class: "button", href: to.again.split("?")[0] + "?game=" + news.game, text: "Other bots" }) : null)));
    if (was && plays) { result.focus({ preventScroll: true }); result.scrollIntoView({ block: "nearest" }); }
  }

  function two(number) { return (number < 10 ? "0" : "") + number; }

  function tick() {
    var runs = plays && news.phase === "asking" && !news.answered && !sending && !news.leaving;
    clock.hidden = !runs;
    if (!runs) return;
    var left = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000));
    clock.replaceChildren(html("span", { class: "visually-hidden", text: "Your time: " }), Math.floor(left / 60) + ":" + two(left % 60));
    clock.classList.toggle("is-short", left <= 30);
    clock.classList.toggle("is-very-short", left <= 10);
    if (left <= 10 && warned < 2) { warned = 2; if (left) say(waitsFor(), "10 seconds left for your move."); }
    else if (left <= 30 && left > 10 && warned < 1) { warned = 1; say(waitsFor(), "30 seconds left for your move."); }
  }

  setInterval(() => {
    var now = Date.now();
    if (now - lastTick > 8000) look(true); // the machine has slept
    lastTick = now;
    tick();
  }, 1000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(true); });
  window.addEventListener("pageshow", event => { if (event.persisted) look(true); });

  document.querySelector("main").classList.add("has-play");
  root.replaceChildren(html("div", { class: "play-main" }, html("div", { class: "play-bar" }, status, clock), trouble, notTaken, result, since, table, list),
    html("aside", { class: "play-side", "aria-label": "Beside the table" }, story, known,
      html("div", { class: "toolbar" }, html("a", { class: "button", href: to.rules, text: "Rules" }), to.watch ? html("a", { class: "button", href: to.watch, text: "Link to watch" }) : "", resign)));
  title.before(head);
  head.append(title, about);
  Arena.one_row(about);
  function besideOrBelow() { story.open = wide.matches; } // beside the table there is room for all that has happened
  besideOrBelow();
  wide.addEventListener("change", () => { besideOrBelow(); drawTable(); });
  window.addEventListener("resize", fit);
  // The page is shown in parts: what is asked, then the table.
  setTimeout(() => {
    root.hidden = false;
    drawSince();
    drawMoves();
    setTimeout(() => { take(news); schedule(); });
  });
});
