# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reference for the benches in cocotb: the semantics of barriers without cycles, and a random choice of legal operations."""


class Reference:
    """The barriers of one CTA. Operations take effect in call order; a release is (id, warps, reduction, value) with `warps` as a mask."""

    def __init__(self, warps, lanes):
        """All of `warps` are live at the start. Counts are in threads, and a warp has `lanes` threads."""
        self.lanes, self.live, self.rows, self.waiting, self.last = lanes, set(warps), {}, set(), None

    def arrive(self, kind, warp, id, count, redop=None, value=0):
        row = self.rows.setdefault(id, {"arrived": set(), "waits": 0, "count": count, "redop": redop, "sum": 0})
        row["arrived"].add(warp)
        row["sum"] += value
        if kind != "Arrive":
            row["waits"] |= 1 << warp
            self.waiting.add(warp)
        if not count:
            self.last = id
        return self.completed(id)

    def exit(self, warp):
        self.live.discard(warp)
        open_without_count = self.last in self.rows and not self.rows[self.last]["count"]
        return self.completed(self.last) if open_without_count else None

    def completed(self, id):
        row = self.rows[id]
        if len(row["arrived"]) != (row["count"] // self.lanes if row["count"] else len(self.live)):
            return None
        del self.rows[id]
        self.waiting -= {warp for warp in range(64) if row["waits"] >> warp & 1}
        value = {None: 0, "And": int(row["sum"] == 0), "Or": int(row["sum"] != 0), "Popc": row["sum"]}[row["redop"]]
        return id, row["waits"], row["redop"] or "None", value


def choice(dice, reference, configuration, busy=frozenset()):
    """A random legal operation (kind, warp, id, count, redop, value) of a live warp that does not wait and is not in `busy`, or `None`."""
    free = sorted(reference.live - reference.waiting - busy)
    if not free:
        return None
    warp = dice.choice(free)
    arrived = {id for id, row in reference.rows.items() if warp in row["arrived"]}
    missing = any(not row["count"] and reference.live - row["arrived"] == {warp} for row in reference.rows.values())
    if len(reference.live) > 2 and not arrived and dice.random() < (0.5 if missing else 0.01):
        return "Exit", warp, 0, 0, None, 0
    # Most arrivals are at a barrier that is already open, so that barriers complete.
    ids = [id for id in range(configuration["barriers"]) if id not in arrived]
    joined = [id for id in ids if id in reference.rows]
    if not ids:
        return None
    id = dice.choice(joined if joined and dice.random() < 0.8 else ids)
    lanes, row = reference.lanes, reference.rows.get(id)
    without_count = [other for other, row in reference.rows.items() if not row["count"] and other != id]
    if row is None:
        # At most one barrier without a count is open: `exit` of the reference completes only the last one.
        whole = not without_count and dice.random() < 0.4
        count = 0 if whole else lanes * dice.randint(1, min(len(reference.live), 8))
        redop = dice.choice([None, None, "And", "Or", "Popc"]) if configuration["reductions"] else None
    else:
        count, redop = row["count"], row["redop"]
    kind = "Reduce" if redop else dice.choice(["Sync", "Sync", "Arrive"] if count else ["Sync"])
    value = dice.randint(0, lanes if redop == "Popc" else 1) if redop else 0
    return kind, warp, id, count, redop, value
