// Composes a move from the form that a game describes: each item goes into at most one slot, in an order.
//
//   Arena.moveForm(form, draft, calls) returns {element, draws(), offer(fits, card), laid(), bar(), next(how), wants(item)}
//
// `element` is the whole form; `offer` what a click on a card does, if an item fits it; `bar` what goes beside the cards: items that are no card, and the buttons; `laid` the slots, or null;
// `draws` is called before the table is drawn anew;
// `next` says what to do now, and `wants` of an item whether the next slot takes it.
//
// `draft`: what was filled in before, {slots, words}, or null. `calls`: {send(answer), say(text), heard(text), changed(draft), words(card), picture(card), seat(number)}; `heard` is for
// screen readers, `seat` returns the face and the name of a player.
(() => {
  "use strict";
  var Arena = (window.Arena = window.Arena || {});

  Arena.moveForm = (form, draft, calls) => {
    var html = Arena.html;
    var slots = form.slots.map((_, at) => draft && draft.slots[at] ? draft.slots[at].slice() : []);
    var words = form.slots.map((_, at) => draft && draft.words[at] ? draft.words[at] : "");
    var byKey = Object.create(null);
    form.items.forEach(item => { byKey[item.key] = item; });
    slots = slots.map(keys => keys.filter(key => byKey[key]));
    var active = firstOpen();
    var element = html("div", { class: "move-form" });
    var offered = Object.create(null); // the cards that the table has for items
    var MOST_PLACES = 12, FEW_PLACES = 6; // that are shown for a move with one slot; the number of many lies in them

    function firstOpen() {
      for (var at = 0; at < slots.length; at += 1) if (slots[at].length < form.slots[at].most) return at;
      return 0;
    }
    function slotOf(key) {
      for (var at = 0; at < slots.length; at += 1) if (slots[at].includes(key)) return at;
      return -1;
    }
    function missing(at) { return form.slots[at].least - slots[at].length; }
    // The slot that is filled next; -1 if the move is complete.
    function open() {
      return missing(active) > 0 ? active : slots.findIndex((_, at) => missing(at) > 0);
    }
    // `how`: how to choose what is missing, if that isn't as usual.
    function next(how) {
      var at = open(), slot = form.slots[at < 0 ? 0 : at], has = slots[at < 0 ? 0 : at].length;
      var instead = form.instead.length && !slots.some(keys => keys.length) ? ", or press “" + form.instead[0].text + "”" : "";
      if (at < 0 && has && (slots.length > 1 || has === slot.most)) return "Press “" + form.send + "”.";
      if (how) return slot.title + ": " + how + ".";
      if (at < 0 && has) return "Choose the next one, or press “" + form.send + "”.";
      if (at < 0 || (slots.length === 1 && !has)) return slot.title + (slot.remark ? "; " + slot.remark : "") + instead + ".";
      return slot.title + ": choose " + (has ? missing(at) + " more" : slot.least === 1 ? "one" : slot.least) + instead + ".";
    }
    function wants(item) { return item.slot === null || open() < 0 || item.slot === open(); }
    function count(at) {
      var slot = form.slots[at];
      var of = slot.least === slot.most ? " of " + slot.most : slot.most < form.items.length ? " of at most " + slot.most : " chosen";
      return slots[at].length + of;
    }

    // How many of the items are chosen without which there is no move; null if it takes one, or there are enough.
    function tally() {
      var least = form.slots.reduce((sum, slot) => sum + slot.least, 0);
      return open() < 0 || least < 2 ? null : form.slots.reduce((sum, slot, at) => sum + Math.min(slot.least, slots[at].length), 0) + " of " + least;
    }

    function changed(focus, said) {
      calls.changed({ slots, words });
      if (said) calls.heard(said);
      draw();
      var found = focus && element.querySelector('[data-key="' + CSS.escape(focus) + '"]');
      if (found) found.focus();
    }

    function put(key) {
      var item = byKey[key];
      if (slotOf(key) >= 0) return take(key);
      var at = item.slot === null ? active : item.slot;
      if (slots[at].length >= form.slots[at].most) {
        if (form.slots[at].most === 1) slots[at] = [];
        else { at = firstOpen(); if (slots[at].length >= form.slots[at].most) return calls.say("Everything is full: take something out first."); }
      }
      slots[at].push(key);
      if (item.slot === null && slots[at].length >= form.slots[at].most) active = firstOpen();
      changed("item " + key, item.text + ": " + form.slots[at].title + ", " + count(at));
    }

    function take(key) {
      var at = slotOf(key);
      slots[at] = slots[at].filter(other => other !== key);
      if (byKey[key].slot === null) active = at;
      changed("item " + key, byKey[key].text + " taken out");
    }

    function up(at, place) {
      var key = slots[at][place];
      slots[at].splice(place, 1);
      slots[at].splice(place - 1, 0, key);
      changed(place > 1 ? "up " + key : "out " + key, byKey[key].text + " is number " + place);
    }

    function chosen(key, at, place) {
      var item = byKey[key];
      return html("li", {},
        html("span", { class: "chosen-item" }, item.text, item.group ? html("small", { class: "quiet", text: " " + item.group }) : null),
        place > 0 && form.slots[at].ordered ? html("button", { type: "button", class: "small-button", "data-key": "up " + key, "aria-label": "Move " + item.text + " up", text: "↑", onclick: () => { up(at, place); } }) : null,
        html("button", { type: "button", class: "small-button", "data-key": "out " + key, "aria-label": "Take " + item.text + " out", text: "×", onclick: () => { take(key); } }));
    }

    function slotBox(slot, at) {
      var alone = form.slots.length === 1 || form.items.every(item => item.slot !== null);
      var title = alone ? html("h3", { text: slot.title })
        : html("button", { type: "button", class: "slot-title", "data-key": "slot " + at, "aria-pressed": String(active === at), text: slot.title, onclick: () => { active = at; changed("slot " + at, slot.title + ": choose for it now"); } });
      return html("div", { class: "slot" + (!alone && active === at ? " is-active" : ""), role: "group", "aria-label": slot.title },
        title, html("span", { class: "quiet small", text: count(at) }),
        slots[at].length ? html(slot.ordered && slot.most > 1 ? "ol" : "ul", { class: "chosen" }, slots[at].map((key, place) => chosen(key, at, place))) : html("p", { class: "no-cards", text: "empty" }),
        slot.word_chars ? html("label", { class: "slot-words" }, "Comment ", wordsOf(slot, at)) : null);
    }

    function wordsOf(slot, at) {
      var input = html("input", { type: "text", maxlength: slot.word_chars, autocomplete: "off", "data-key": "words " + at });
      input.value = words[at];
      input.addEventListener("input", () => { words[at] = input.value; calls.changed({ slots, words }); });
      return input;
    }

    function groups() {
      var found = [];
      form.items.forEach(item => {
        var group = found.filter(one => one.title === item.group)[0];
        if (!group) found.push(group = { title: item.group, items: [] });
        group.items.push(item);
      });
      return found;
    }

    function itemButton(item) {
      var at = slotOf(item.key);
      return html("button", { type: "button", class: "item", "data-key": "item " + item.key, "aria-pressed": String(at >= 0), "aria-label": item.card && calls.words(item.card) !== item.text ? calls.words(item.card) : null, onclick: () => { put(item.key); } },
        item.text, at >= 0 && form.slots.length > 1 && item.slot === null ? html("small", { text: " " + (at + 1) }) : null,
        at >= 0 && form.slots.length === 1 && form.slots[0].most > 1 ? html("small", { text: " " + (slots[0].indexOf(item.key) + 1) }) : null);
    }

    function buttons() {
      return [
        html("button", { type: "button", class: "primary" + (open() < 0 ? "" : " is-waiting"), "data-key": "send", "data-count": tally(), text: form.send, onclick: send }),
        form.instead.map((choice, at) => html("button", { type: "button", class: "choice", "data-key": "instead " + at, text: choice.text, onclick: () => { calls.send({ choice: at }); } })),
        html("button", { type: "button", "data-key": "clear", text: "Clear", disabled: !slots.some(keys => keys.length), onclick: () => { slots = slots.map(() => []); active = 0; changed("send", "Cleared"); } }),
      ];
    }

    // What a slot holds, with an outline for each item that is missing.
    function places(at) {
      var rest = Array.from({ length: Math.max(0, missing(at)) }, () => html("span", { class: "bar-gap" }));
      return html("span", { class: "bar-items" }, slots[at].map(key => offered[key] ? html("span", { class: "bar-item", title: byKey[key].text }, offered[key].map(calls.picture)) : html("span", { text: byKey[key].text })), rest);
    }

    function barSlot(slot, at) {
      var choose = () => { active = at; changed("slot " + at, slot.title + ": choose for it now"); };
      return html("button", { type: "button", class: "bar-slot" + (slot.seat === null ? "" : " to-seat"), "data-key": "slot " + at, "data-missing": missing(at), "aria-pressed": String(open() === at), "aria-label": slot.title + ", " + count(at), onclick: choose },
        slot.seat === null ? html("b", { text: slot.title }) : calls.seat(slot.seat), places(at));
    }

    // The only slot of a move whose order counts: a numbered place for each of a few items.
    function ordered() {
      var many = Math.max(slots[0].length, Math.min(form.slots[0].most, MOST_PLACES));
      return html("ol", { class: "bar-slots" + (many > FEW_PLACES ? " is-long" : ""), "aria-label": form.slots[0].title }, Array.from({ length: many }, (_, at) => {
        var key = slots[0][at];
        return html("li", { class: "bar-place" }, html("b", { text: String(at + 1) }), key && offered[key] ? html("span", { class: "bar-item", title: byKey[key].text }, offered[key].map(calls.picture)) : html("span", { class: "bar-gap", text: key ? byKey[key].text : "" }));
      }));
    }

    // What lies on the table of the move.
    function laid() {
      if (slots.length > 1) return html("div", { class: "bar-slots" }, form.slots.map(barSlot));
      return form.slots[0].ordered && form.slots[0].most > 1 && form.slots[0].most <= MOST_PLACES ? ordered() : null;
    }

    function bar() {
      var others = form.items.filter(item => !offered[item.key]);
      return [
        others.length ? html("div", { class: "choice-row" }, others.map(itemButton)) : null,
        html("div", { class: "choice-row" }, buttons()),
      ];
    }

    function draw() {
      element.replaceChildren(
        html("div", { class: "slots" }, form.slots.map(slotBox)),
        html("div", { class: "items" }, groups().map(group => html("div", { class: "item-group", role: "group", "aria-label": group.title || "Choose" },
          group.title ? html("span", { class: "item-title quiet small", text: group.title }) : null, group.items.map(itemButton)))),
        html("div", { class: "toolbar" }, buttons()));
    }

    // Sends the move, unless a slot has too few items: then it says how many are missing.
    function send() {
      if (open() >= 0) return calls.say("Not yet. " + next());
      calls.send({ filled: { slots, words } });
    }

    // What a click on a card of the table does: the item with this text in a group or slot, the first that is free.
    function offer(fits, card) {
      var items = form.items.filter(fits);
      var item = items.filter(one => slotOf(one.key) < 0)[0] || items[0];
      if (!item) return null;
      items.forEach(one => { (offered[one.key] = offered[one.key] || []).push(card); });
      var at = slotOf(item.key);
      var ordered = at >= 0 && (form.slots.length > 1 ? item.slot === null : form.slots[0].most > 1);
      return {
        pressed: at >= 0, legal: wants(item), label: item.text + (at >= 0 ? ", chosen" : ""), press: () => { put(item.key); },
        number: ordered ? (form.slots.length > 1 ? at : slots[0].indexOf(item.key)) + 1 : null,
      };
    }

    draw();
    return { element, offer, bar, laid, draws: () => { offered = Object.create(null); }, next, wants };
  };
})();
