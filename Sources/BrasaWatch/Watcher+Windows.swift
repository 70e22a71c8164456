import BrasaDocuments
import BrasaStore

/// Views as they come and go, and the windows that have to be filled.
extension Watcher {
    /// The view that equal targets share.
    func view(_ selection: View.Selection, in table: ViewTable) -> View {
        if let view = table.view(selection) { return view }
        let view = View(selection, in: table.database, position: self.position)
        table.add(view)
        self.values.views += 1
        if view.filling != nil { self.fillings.append(view) }
        return view
    }

    func removeIfUnused(_ view: View, from table: ViewTable) {
        guard view.subscribers.isEmpty else { return }
        table.remove(view)
        self.values.views -= 1
        self.windowBytes -= view.windowBytes
    }

    /// Ends all targets of a view.
    func fail(_ view: View, _ failure: TargetFailure) {
        for target in view.subscribers.reversed() { target.stream.end(target, cause: failure) }
    }

    /// The window is to be filled at the watcher's position.
    func wantWindow(_ view: View) {
        guard view.window != nil else { return }
        if view.filling == nil { self.fillings.append(view) }
        view.filling = .wanted
    }

    /// The second part of a turn.
    func fillWindows() {
        var waiting = self.fillings.takeAll()
        while self.readsLeft > 0, let view = waiting.popFirst() {
            guard !view.subscribers.isEmpty else { continue }
            if self.fill(view) {
                for target in view.subscribers { self.enqueue(target.stream) }
            } else {
                self.fillings.append(view)
            }
        }
        self.fillings.putBack(waiting)
    }

    /// Does as much as the turn allows; whether the view is ready or gone.
    private func fill(_ view: View) -> Bool {
        guard case .query(let query) = view.selection, let window = view.window else { return true }
        do throws(StoreError) {
            let filling: WindowFilling
            if case .running(let running) = view.filling {
                filling = running
            } else {
                let count = window.fillCount
                filling = try WindowFilling(query, count: count, in: view.database, at: self.position, of: self.store)
                view.filling = .running(filling)
            }
            while self.readsLeft > 0 {
                self.readsLeft -= WindowFilling.chunk
                let isDone = try filling.advance()
                if self.windowBytes + filling.bytes > self.configuration.windowBytesMax {
                    self.fail(view, .windowTooLarge)
                    return true
                }
                if isDone { return try self.finish(filling, of: view) }
            }
            return false
        } catch {
            view.filling = .wanted
            return false
        }
    }

    private func finish(_ filling: WindowFilling, of view: View) throws(StoreError) -> Bool {
        view.filling = .wanted
        guard case .query(let query) = view.selection, var window = view.window, let missed = filling.finish(&window)
        else { return false }
        var changes: [Window.Change] = []
        for path in missed {
            let before = try self.store.get(path, in: view.database, at: filling.time)
            let after = try self.store.get(path, in: view.database, at: self.position)
            if before?.updateTime == after?.updateTime { continue }
            let entry = query.windowEntry(path, after)
            changes.append(Window.Change(path: path, before: query.windowEntry(path, before)?.key, after: entry))
        }
        guard window.apply(changes) != nil else { return false }
        self.windowBytes += window.bytes - view.windowBytes
        view.window = window
        view.filling = nil
        view.recent = RecentChanges(completeAfter: self.position)
        return true
    }
}
