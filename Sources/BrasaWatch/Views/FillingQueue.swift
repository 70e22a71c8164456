/// Views whose windows have to be filled: a bounded number of them at a time, since each keeps what it has gathered, the
/// others first come, first served.
struct FillingQueue {
    private var waiting = WorkQueue<View>()
    /// Each is done a piece of in turn.
    private var running = WorkQueue<View>()

    var isEmpty: Bool { self.waiting.isEmpty && self.running.isEmpty }

    mutating func append(_ view: View) {
        self.waiting.append(view)
    }

    /// Lets a view go on that has been begun elsewhere, if there is room for it among those that run.
    mutating func begin(_ view: View, atMost countMax: Int) -> Bool {
        guard self.running.count < countMax else { return false }
        self.running.append(view)
        return true
    }

    /// The view to do a piece of. It is put back unless it is done.
    mutating func next(atMost countMax: Int) -> View? {
        while self.running.count < max(countMax, 1), let view = self.waiting.popFirst() { self.running.append(view) }
        return self.running.popFirst()
    }

    mutating func putBack(_ view: View) {
        self.running.append(view)
    }
}
