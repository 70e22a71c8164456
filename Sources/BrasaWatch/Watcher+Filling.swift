import BrasaDocuments
import BrasaQueries
import BrasaStore

/// Windows that have to be filled, piece by piece.
extension Watcher {
    /// The window is to be filled at the watcher's position.
    func wantWindow(_ view: View) {
        guard view.window != nil else { return }
        if view.filling == nil { self.fillings.append(view) }
        view.filling = .wanted(attempts: view.filling?.attempts ?? 0)
    }

    /// The window is to be filled, and a part of that is done.
    func goOn(_ filling: WindowFilling, of view: View) {
        // Nobody looks at what it was.
        view.window?.fill([], isComplete: false)
        if self.fillings.begin(view, atMost: self.configuration.fillingsMax) {
            view.filling = .running(filling)
        } else {
            self.wantWindow(view)
        }
        self.count(view)
    }

    /// The second part of a turn: a piece of one window after the other. Half of the turn's reads are left to streams.
    func fillWindows() {
        guard self.turn.readsLeft > 0, !self.fillings.isEmpty else { return }
        let others = self.work.isEmpty ? 0 : (self.turn.readsLeft + 1) / 2
        self.turn.readsLeft = max(self.turn.readsLeft - others, 1)
        defer { self.turn.readsLeft = max(self.turn.readsLeft, 0) + others }
        while self.turn.readsLeft > 0, let view = self.fillings.next(atMost: self.configuration.fillingsMax) {
            guard !view.subscribers.isEmpty else { continue }
            if self.fill(view) {
                for target in view.subscribers { self.enqueue(target.stream) }
            } else {
                self.fillings.putBack(view)
            }
        }
    }

    /// Does a piece; whether the view is ready or gone.
    private func fill(_ view: View) -> Bool {
        guard case .query(let query) = view.selection, let window = view.window else { return true }
        self.turn.readsLeft -= WindowFilling.chunk
        guard self.isPositionKnown(in: view.database) else { return false }
        do throws(StoreError) {
            let filling: WindowFilling
            if case .running(let running) = view.filling {
                filling = running
            } else {
                let attempt = (view.filling?.attempts ?? 0) + 1
                guard attempt <= self.configuration.fillingRestartsMax + 1 else {
                    self.fail(view, .windowTooBusy)
                    return true
                }
                view.filling = .wanted(attempts: attempt)
                view.window?.fill([], isComplete: false)
                filling = try self.filling(query, window, attempt: attempt, in: view.database, at: self.position)
                view.filling = .running(filling)
            }
            let isDone = try filling.advance()
            self.count(view)
            if self.isTooLarge(view, isNew: true) {
                self.fail(view, .windowTooLarge)
                return true
            }
            return isDone ? try self.finish(filling, of: view) : false
        } catch {
            view.filling = .wanted(attempts: view.filling?.attempts ?? 0)
            self.count(view)
            return false
        }
    }

    func filling(
        _ query: Query,
        _ window: Window,
        attempt: Int,
        in database: DatabaseHandle,
        at time: Timestamp
    ) throws(StoreError) -> WindowFilling {
        try WindowFilling(
            query,
            count: window.fillCount,
            missedMax: self.configuration.fillingChangesMax,
            attempt: attempt,
            in: database,
            at: time,
            of: self.store
        )
    }

    private func finish(_ filling: WindowFilling, of view: View) throws(StoreError) -> Bool {
        view.filling = .wanted(attempts: filling.attempt)
        defer { self.count(view) }
        guard case .query(let query) = view.selection, var window = view.window, let missed = filling.finish(&window)
        else { return false }
        var relocations: [Window.Relocation] = []
        for path in missed {
            let before = try self.store.get(path, in: view.database, at: filling.time)
            let after = try self.store.get(path, in: view.database, at: self.position)
            if before?.updateTime == after?.updateTime { continue }
            let (key, entry) = (query.windowEntry(path, before)?.key, query.windowEntry(path, after))
            relocations.append(Window.Relocation(path: path, before: key, after: entry))
        }
        guard window.apply(relocations) != nil else { return false }
        view.window = window
        view.filling = nil
        view.recent = RecentNews(completeAfter: self.position)
        return true
    }
}
