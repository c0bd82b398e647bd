// The replay viewer: its controls, keys, address and log. The log in the page holds the words of every step.
// On a live site the data is in the page too; in an exported folder `packed-game.js` starts the viewer.
// `made_items`: functions that make the items of the log, if the page hasn't got them.
window.Arena.start_viewer = (game, made_items) => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var svg = Arena.svg;
  var host = document.getElementById("viewer");
  var SPEEDS = [0.5, 1, 2, 4, 8, 16, 32]; // steps in a second
  var MOST_SAID = 28; // letters beside a player
  var QUICK = 4; // from this speed on, nothing is animated or announced
  var KEYS = [
    ["Space", "play or pause"], ["← →", "one step back or on"], ["p n", "the turn before, the next turn"], ["[ ]", "the hand before, the next hand"],
    ["Home End", "the beginning, the end"], ["f", "the next fault"], ["w", "the next swing of the score"], ["− +", "slower, faster"],
    ["s", "the next player's view"], ["k", "what a player could know"], ["?", "these keys"],
  ];
  var ICONS = {
    first: "M5 4v16M19 4L8 12l11 8z", turn_back: "M12 4L4 12l8 8zM20 4l-8 8 8 8z", back: "M17 4L7 12l10 8z", play: "M6 4l14 8-14 8z", pause: "M7 4v16M17 4v16",
    next: "M7 4l10 8-10 8z", turn_next: "M4 4l8 8-8 8zM12 4l8 8-8 8z", last: "M19 4v16M5 4l11 8-11 8z",
  };
  var at = 0;
  var came_for = location.hash;
  var asked_for = null; // the decision in the address, until the viewer moves on: not every view has a step of each decision
  var speed = 1;
  var timer = null;
  var ended = false; // whether it has just been played to its end
  var knows = null; // the seat whose knowledge is shown
  var whole = Arena.kept("arena-viewer-spoilers") === "shown";
  var guarded = Arena.kept("arena-viewer-spoilers") === "hidden"; // whoever chose to see no spoilers opens the result
  var log = document.getElementById("log");
  // The page has it as text, for readers without scripts: an item becomes an element when it is needed first.
  var source = document.getElementById("log-source");
  var items = made_items || source.textContent.split(/(?=<li)/).slice(1).map(text => () => {
    var template = html("template");
    template.innerHTML = text;
    return template.content.firstElementChild;
  });
  function item(step) {
    if (typeof items[step] === "function") {
      items[step] = items[step]();
      items[step].dataset.step = step;
      if (game.steps[step].decision !== null) items[step].prepend(html("span", { class: "decision", text: String(game.steps[step].decision) }));
    }
    return items[step];
  }
  function items_from(first, end) {
    var found = [];
    for (; first < end; first += 1) found.push(item(first));
    return found;
  }

  // --- Parts of the page ---

  function icon(name) { return svg("svg", { viewBox: "0 0 24 24", class: "control-icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] })); }
  function control(name, label, keys, press) {
    return html("button", { type: "button", class: "step-button to-" + name, "aria-label": label, title: label + " (" + keys + ")", onclick: press }, icon(name));
  }

  // Moves that cost much: their place in the game, and what each cost beside the dearest.
  var dear = [...document.querySelectorAll(".prices li")];
  var dearest = dear.reduce((most, one) => Math.max(most, Number(one.dataset.points)), 0);
  game.prices = dear.map(one => {
    var at = game.step_of(Number(one.dataset.decision));
    var asked = game.eyes === null ? Math.max(0, at - 1) : at; // with all hands open, a step shows what its moves led to
    var words = one.querySelector(".better").textContent;
    (game.ghosts[asked] = game.ghosts[asked] || []).push({ seat: Number(one.dataset.seat), move: JSON.parse(one.dataset.better), words });
    if (at > asked) (game.ghosts[at] = game.ghosts[at] || []).push({ move: {}, words });
    one.querySelector("a").addEventListener("click", event => {
      event.preventDefault();
      go(asked);
      table.element.scrollIntoView({ block: "nearest" });
    });
    return { at, part: Number(one.dataset.points) / dearest };
  });
  // What players did in a step, by seat, where a few words say it: what follows a name that a line begins with.
  game.says = step => {
    var found = {};
    item(step).querySelectorAll("p:not([class]) > b:first-child").forEach(name => {
      var seat = game.names.indexOf(name.textContent), rest = name.nextSibling;
      if (name.previousSibling || !rest || rest.nextSibling || rest.length > MOST_SAID || found[seat]) return;
      found[seat] = rest.textContent.trim();
    });
    return found;
  };
  var table = Arena.game_table(game, go);
  var timeline = Arena.timeline(game);
  var chart = Arena.score_chart(game);
  var caption = html("div", { class: "caption", role: "region", "aria-label": "This step", tabindex: 0 });
  var place = html("span", { class: "place" });
  var live = html("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  var slider = html("input", { type: "range", min: 0, max: game.last, step: 1, value: 0, class: "slider", "aria-label": "Step of the game" });
  var playing = control("play", "Play", "Space", toggle);
  var speed_text = html("output", { class: "speed", "aria-label": "Steps in a second" });
  var spoilers = html("input", { type: "checkbox", id: "spoilers" });
  var link = html("button", { type: "button", onclick: copy_link, text: "Copy link" });
  var who = game.eyes === null ? html("select", { id: "knows" }, html("option", { value: "", text: "nobody" }), game.names.map((name, seat) => html("option", { value: seat, text: name }))) : null;
  var knowledge = html("section", { class: "knowledge", hidden: true, "aria-label": "What a player could know" });
  var help = html("dialog", { class: "help", "aria-labelledby": "help-title" }, html("h2", { id: "help-title", text: "Keys" }),
    html("dl", {}, KEYS.map(row => html("div", {}, html("dt", {}, row[0].split(" ").map(key => html("kbd", { text: key }))), html("dd", { text: row[1] })))), html("button", { type: "button", onclick: () => { help.close(); }, text: "Close" }));
  spoilers.checked = !whole;

  var back = control("back", "Step back", "←", () => { go(at - 1); });
  var on = control("next", "Step on", "→", () => { go(at + 1); });
  var more = [
    control("first", "Go to the beginning", "Home", first),
    control("turn_back", "Turn before", "p", () => { go(turn_before()); }),
    control("turn_next", "Next turn", "n", () => { go(turn_after()); }),
    control("last", "Go to the end", "End", () => { go(game.last); }),
    html("span", { class: "speeds" },
      html("button", { type: "button", class: "step-button", "aria-label": "Slower", title: "Slower (−)", onclick: () => { faster(-1); }, text: "−" }), speed_text,
      html("button", { type: "button", class: "step-button", "aria-label": "Faster", title: "Faster (+)", onclick: () => { faster(1); }, text: "+" })),
    place,
    html("span", { class: "bar-more" }, link, html("button", { type: "button", class: "step-button", "aria-label": "Keys", title: "Keys (?)", onclick: show_help, text: "?" })),
  ];
  var menu = html("div", { class: "bar-menu", hidden: true, id: "bar-menu" });
  var menu_button = html("button", { type: "button", class: "step-button", "aria-label": "More controls", "aria-expanded": "false", "aria-controls": "bar-menu", text: "⋯", onclick: () => {
    menu.hidden = !menu.hidden;
    menu_button.setAttribute("aria-expanded", String(!menu.hidden));
  } });
  var controls = html("div", { class: "bar-row", role: "toolbar", "aria-label": "Replay" });
  var values = html("div", { class: "timeline-values" }); // a row of values, one for each decision
  var scrub = html("div", { class: "scrub" }, timeline.element, slider);
  var bar = html("div", { class: "player-bar" }, controls, values, menu);
  var settings = html("div", { class: "settings" },
    html("label", { for: "spoilers" }, spoilers, " Spoiler-free"),
    who ? html("details", { class: "of-knowledge" }, html("summary", { text: "What could a player know?" }), html("label", {}, html("span", { class: "visually-hidden", text: "Player " }), who)) : null);
  var side = html("div", { class: "side" });
  var table_place = html("div", { class: "table-place" }, table.element);
  host.append(html("div", { class: "stage" }, caption, html("h2", { class: "visually-hidden", text: "The table" }), table_place, bar, knowledge), side, live, help);
  caption.addEventListener("click", () => { caption.classList.toggle("is-open"); });
  var eyes = document.querySelector(".eyes");
  var eyes_row = html("div", { class: "eyes-row" });
  eyes.before(eyes_row);
  eyes_row.append(eyes);
  var current = eyes.querySelector("[aria-current]");
  var wide = window.matchMedia("(min-width: 68rem)");
  function place_controls() { // on a small screen, most of them are in a menu
    if (wide.matches) {
      controls.replaceChildren(scrub, more[0], more[1], back, playing, on, more[2], more[3], more[4], more[5], more[6]);
      eyes_row.append(settings);
      menu.hidden = true;
    } else {
      controls.replaceChildren(playing, back, on, scrub, menu_button);
      menu.replaceChildren(...more.concat(settings));
    }
  }
  wide.addEventListener("change", () => { place_controls(); show(); });
  place_controls();
  if (chart) side.append(chart.element);
  side.append(document.querySelector("section.log"));

  // --- The end ---

  var result = document.getElementById("result");
  var result_words = result.querySelector("summary");
  var result_follows = document.createComment("the result");
  bar.after(result_follows);
  result_follows.after(result);
  // Tastes of many players are many pictures: they are drawn when they are asked for.
  var from_start = document.querySelector("details.known");
  if (from_start) from_start.addEventListener("toggle", () => {
    from_start.querySelectorAll("[data-knows] > h3").forEach(name => { name.after(Arena.cards.tastes(game.game, game.worth[name.parentNode.dataset.knows]) || ""); });
  }, { once: true });
  var biggest = game.biggest;
  if (biggest) {
    result.querySelector(".end-links").prepend(html("a", { class: "button", href: "#d=" + (game.steps[biggest.at].decision === null ? "end" : game.steps[biggest.at].decision), onclick: event => { event.preventDefault(); go(biggest.at); },
      text: "Biggest swing: " + Arena.signed(biggest.gain) + " for " + game.names[biggest.seat] }));
  }
  game.gains.forEach((gain, seat) => {
    result.querySelector('[data-seat="' + seat + '"] .n').after(html("small", { title: "in the last round", text: "(" + Arena.signed(gain) + ")" }));
  });
  // At the end of the game its result lies on the table.
  function show_end() {
    var drawn = table.element.querySelector(".table");
    if (at < game.last || !drawn) return;
    if (result.parentNode !== drawn) {
      drawn.prepend(result);
      result.open = !guarded;
    }
    result_words.textContent = "The game is over: show the result";
    drawn.classList.toggle("has-result", result.open);
    table.fit();
  }
  // The table may be drawn anew: it is moved out of it before.
  function put_result_away() {
    if (!table.element.contains(result)) return;
    result_follows.after(result);
    result.open = whole;
    result_words.textContent = "Result";
  }
  result.addEventListener("toggle", () => { if (table.element.contains(result)) show_end(); });

  // --- Where things are ---

  function turn_after() {
    var step = at + 1;
    while (step < game.last && game.same_turn(step, at)) step += 1;
    return step;
  }
  function turn_before() {
    var step = at - 1;
    while (step > 0 && game.same_turn(step - 1, step)) step -= 1;
    return step;
  }
  function after(places) {
    var found = places.filter(step => step > at);
    return found.length ? found[0] : null;
  }
  function before(places) {
    var found = places.filter(step => step < at);
    return found.length ? found[found.length - 1] : 0;
  }
  function jump(step, nothing) {
    if (step === null) say(nothing);
    else go(step);
  }

  // --- What is shown ---

  function say(text) { live.textContent = ""; live.textContent = text; }

  function words(step) {
    return [...item(step).querySelectorAll("p")].map(line => line.textContent).join(" ");
  }

  function duration(ms) { return ms < 1000 ? ms.toFixed(ms < 1 ? 2 : ms < 10 ? 1 : 0) + " ms" : (ms / 1000).toFixed(1) + " s"; }

  function position() {
    var decision = game.steps[at].decision;
    return at === 0 ? "the deal" : at === game.last ? "the end" : "step " + at;
  }

  // Whether the caption has no room in one line; if so, it has two of smaller letters.
  function is_too_long() {
    caption.classList.remove("is-long");
    return caption.classList.toggle("is-long", caption.scrollWidth > caption.clientWidth);
  }

  // Where several have scored, long words give way to what each gained, the most first; a click shows all of it.
  function shorten(lines) {
    var before = at ? game.steps[at - 1].scores : null;
    var gains = before ? game.steps[at].scores.map((score, seat) => [score - before[seat], seat]).filter(one => one[0]).sort((a, b) => b[0] - a[0]) : [];
    if (gains.length < 2) return false;
    lines.forEach(line => { line.classList.add("is-more"); });
    var told = gains.map((one, place) => html("span", {}, place ? ", " : "", html("b", { text: game.names[one[1]] }), " " + Arena.signed(one[0])));
    caption.prepend(html("p", {}, told));
    is_too_long();
    while (told.length > 1 && (wide.matches ? is_too_long() : caption.scrollHeight > caption.clientHeight + 1)) told.pop().remove();
    return true;
  }

  function show_caption() {
    var step = game.steps[at];
    var told = [...item(at).querySelectorAll("p:not(.move, .seen)")];
    var lines = (told.length ? told : [...item(at).querySelectorAll(".move")]).map(line => line.cloneNode(true));
    if (!lines.length) lines = [html("p", { class: "quiet", text: at === 0 ? "The game begins." : "Nothing more was told." })];
    caption.title = step.times.map(time => game.names[time.seat] + " thought for " + duration(time.wall_ms) + " of " + duration(time.limit_ms) + ", CPU " + duration(time.cpu_ms) + ", bank " + duration(time.bank_ms)).join("\n");
    caption.replaceChildren(...lines);
    if (caption.scrollTop) caption.scrollTop = 0;
    if (is_too_long() && shorten(lines)) return;
    while (wide.matches && is_too_long() && lines.length > 1) lines.pop().classList.add("is-more");
    while (lines.length > 1 && caption.scrollHeight > caption.clientHeight + 1) lines.pop().classList.add("is-more"); // whole sentences only
  }

  // The log holds the items from `low` to `high`; those of the other steps are added in parts, so that the page never
  // waits for all.
  var low = 0;
  var high = -1;
  var shown_item = 0;
  var filling = null;
  var held = true;
  var PART = 6;
  function show_log() {
    var open = whole ? game.last : at;
    if (at < low || at > high + PART) {
      low = Math.max(0, at - PART);
      high = Math.min(open, at + PART);
      log.replaceChildren(...items_from(low, high + 1));
    }
    for (; high > open; high -= 1) items[high].remove();
    for (; high < at; high += 1) log.append(item(high + 1));
    item(shown_item).removeAttribute("aria-current");
    shown_item = at;
    item(at).setAttribute("aria-current", "step");
    fill_soon();
  }
  function fill_soon() {
    if (filling === null && (low > 0 || high < (whole ? game.last : at))) filling = setTimeout(fill, 50);
  }
  function fill() {
    var open = whole ? game.last : at;
    filling = null;
    if (high < open) {
      log.append(...items_from(high + 1, Math.min(open, high + PART) + 1));
      high = Math.min(open, high + PART);
    } else if (low > 0) {
      var before = item(at).offsetTop;
      log.prepend(...items_from(Math.max(0, low - PART), low));
      low = Math.max(0, low - PART);
      if (held) scroll_log();
      else log.scrollTop += item(at).offsetTop - before;
    }
    fill_soon();
    settle();
  }
  // The current item lies in the middle of the log, until the reader scrolls.
  function scroll_log() {
    if (held) log.scrollTop = item(at).offsetTop - Math.max(0, (log.clientHeight - item(at).offsetHeight) / 2); // the log is its offset parent
  }
  function settle() { requestAnimationFrame(() => { requestAnimationFrame(scroll_log); }); } // items in view have their own heights by then
  ["wheel", "pointerdown", "keydown"].forEach(name => { log.addEventListener(name, () => { held = false; }, { passive: true }); });

  function show_knowledge() {
    knowledge.hidden = knows === null;
    if (knows !== null) {
      knowledge.replaceChildren(html("h2", { text: "What " + game.names[knows] + " could know" }),
        html("div", {}, Arena.knowledge(game, knows, at)),
        html("p", {}, html("a", { href: address_of(String(knows)), text: "Watch the game as " + game.names[knows] + " saw it" })));
    }
  }

  // The table is made first, then laid out, then the rest follows: each in a task of its own, so that none is long.
  var to_do = [];
  var working = null;
  function show() {
    slider.value = at;
    put_result_away();
    to_do = [table.draw(at, is_quick()), show_course, show_caption, show_rest];
    if (working === null) working = setTimeout(work);
  }
  function work() {
    working = null;
    to_do.shift()();
    if (to_do.length && working === null) working = setTimeout(work);
  }
  function is_quick() { return timer !== null && speed > QUICK; }
  function show_course() {
    timeline.show(at, whole);
    if (chart) chart.show(at, whole);
  }
  function show_rest() {
    show_log();
    show_knowledge();
    slider.setAttribute("aria-valuetext", position() + " of " + game.last);
    place.textContent = position() + (whole && at && at < game.last ? " of " + game.last : "");
    place.title = game.steps[at].decision === null ? "" : "decision " + game.steps[at].decision;
    show_end();
    held = true;
    settle();
    host.dispatchEvent(new CustomEvent("arena:shown", { detail: { ended } }));
    ended = false;
    if (!is_quick()) say(words(at));
    if (timer === null) write_address();
  }

  function go(step) {
    asked_for = null;
    at = Math.max(0, Math.min(game.last, step));
    show();
  }

  function first() { // in the view of a seat, its first decision
    go(0);
    asked_for = "deal";
    write_address();
  }

  // --- Playing ---

  function toggle() {
    if (timer !== null) { stop(); return; }
    if (at === game.last) go(0);
    timer = setInterval(tick, 1000 / speed);
    show_playing();
  }
  function tick() {
    asked_for = null;
    at = Math.min(game.last, at + 1);
    if (at < game.last) { show(); return; }
    ended = true;
    stop();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    show_playing();
    show();
  }
  function show_playing() {
    playing.replaceChildren(icon(timer === null ? "play" : "pause"));
    playing.setAttribute("aria-label", timer === null ? "Play" : "Pause");
  }
  function faster(way) {
    speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(speed) + way))];
    show_speed();
    if (timer !== null) { clearInterval(timer); timer = setInterval(tick, 1000 / speed); }
  }
  function show_speed() { speed_text.textContent = (speed < 1 ? "½" : speed) + "/s"; }

  // --- The address ---

  function fragment() {
    var decision = game.steps[at].decision;
    return "#d=" + (asked_for !== null ? asked_for : decision !== null ? decision : at === game.last ? "end" : "deal") + (knows === null ? "" : "&seat=" + knows);
  }
  function write_address() {
    try { history.replaceState(null, "", fragment()); } catch (error) { /* some browsers forbid it in files, or too often */ }
  }
  // Whether the game has no such decision; what a seat saw doesn't tell how many there are.
  function is_beyond(decision) {
    return game.eyes === null && game.steps.every(step => step.decision === null || step.decision < Number(decision));
  }
  function read_address(hash) {
    var asked = new URLSearchParams(hash.slice(1));
    var decision = asked.get("d");
    var seat = asked.get("seat");
    knows = who && seat !== null && /^\d+$/.test(seat) && Number(seat) < game.names.length ? Number(seat) : null;
    if (who) who.value = knows === null ? "" : String(knows);
    if (decision === "swing" && game.biggest) decision = String(game.steps[game.biggest.at].decision || "end");
    asked_for = decision !== null && /^(end|deal|\d+)$/.test(decision) && !is_beyond(decision) ? decision : null;
    at = decision === "end" ? game.last : decision !== null && /^\d+$/.test(decision) ? game.step_of(Number(decision)) : 0;
  }
  // The page of other eyes at the same decision.
  function address_of(eyes) {
    var found = document.querySelector('.eyes a[data-eyes="' + eyes + '"]');
    return found.getAttribute("href").split("#")[0] + fragment().split("&")[0];
  }
  function next_eyes() {
    var next = game.eyes === null ? 0 : game.eyes + 1;
    var address = address_of(next < game.names.length ? String(next) : "all");
    if (window.top === window) location.href = address;
    else window.open(address, "_blank", "noopener"); // embedded in another site, which only the game itself allows
  }
  function copy_link() {
    write_address();
    var text = location.href.split("#")[0] + fragment();
    var done = () => { link.textContent = "Copied"; setTimeout(() => { link.textContent = "Copy link"; }, 1500); say("The link to this move is copied."); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => { window.prompt("Link to this move", text); });
    else window.prompt("Link to this move", text);
  }
  function show_help() { if (!help.open) help.showModal(); }

  function know(seat) {
    knows = seat;
    who.value = seat === null ? "" : String(seat);
    show();
  }

  // The title has the scores for those who don't mind.
  var title = document.title;
  function entitle() { document.title = whole ? document.getElementById("result").dataset.title : title; }
  entitle();

  // --- Events ---

  var PRESSES = {
    " ": toggle, ArrowLeft: () => { go(at - 1); }, ArrowRight: () => { go(at + 1); }, n: () => { go(turn_after()); }, p: () => { go(turn_before()); },
    "[": () => { go(before(game.ends)); }, "]": () => { jump(after(game.ends), "There is no later hand."); },
    Home: first, End: () => { go(game.last); },
    f: () => { jump(after(game.faults), "There is no later fault."); }, w: () => { jump(after(game.swings), "There is no later swing."); },
    "+": () => { faster(1); }, "=": () => { faster(1); }, "-": () => { faster(-1); }, s: next_eyes, "?": show_help,
    k: () => { if (who) know(knows === null ? 0 : knows + 1 < game.names.length ? knows + 1 : null); },
  };
  document.addEventListener("keydown", event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    var target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("input:not([type=range]):not([type=checkbox]), select, textarea")) return;
    if (event.key === " " && target.closest("button, summary, a, input")) return;
    if (target === slider && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    var press = Object.hasOwn(PRESSES, event.key) ? PRESSES[event.key] : null;
    if (!press) return;
    event.preventDefault();
    press();
  });
  slider.addEventListener("input", () => { go(Number(slider.value)); });
  spoilers.addEventListener("change", () => {
    whole = !spoilers.checked;
    guarded = !whole;
    entitle();
    Arena.keep("arena-viewer-spoilers", whole ? "shown" : "hidden");
    result.open = whole;
    show();
  });
  if (who) who.addEventListener("change", () => { know(who.value === "" ? null : Number(who.value)); });
  log.addEventListener("click", event => {
    var item = event.target.closest("li[data-step]");
    if (item && !String(window.getSelection())) go(Number(item.dataset.step));
  });
  document.querySelectorAll(".eyes a").forEach(other => {
    other.addEventListener("click", () => { other.href = address_of(other.dataset.eyes); });
  });
  // Not `location.hash`, which the step before may have written since.
  window.addEventListener("hashchange", event => { read_address(new URL(event.newURL).hash); show(); });
  if (whole) result.open = true;
  show_speed();
  read_address(location.hash); // at once: a key may be pressed before the table is drawn
  setTimeout(() => {
    host.hidden = false;
    document.documentElement.classList.add("has-viewer");
    Arena.one_row(document.querySelector(".game-head p"));
    if (current) setTimeout(() => { eyes.scrollLeft = current.offsetLeft - eyes.offsetLeft - 40; });
    show();
  });
  // For the channel: plays, unless the address leads to a move, at a speed with which it takes at most so many seconds.
  Arena.play_game = (most_s, fastest) => {
    if (!/^(#d=deal)?$/.test(came_for)) return;
    speed = SPEEDS.find(one => one >= 1 && (one >= fastest || game.last / one <= most_s));
    show_speed();
    if (timer === null) toggle();
  };
};
(() => {
  "use strict";
  var data = document.getElementById("game-data");
  if (!data) return;
  var game = window.Arena.read_game(JSON.parse(data.textContent)); // now, so that no task is long
  document.addEventListener("DOMContentLoaded", () => { window.Arena.start_viewer(game); }); // the game has defined its cards
})();
