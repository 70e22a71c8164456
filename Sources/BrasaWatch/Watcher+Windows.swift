import BrasaDocuments
import BrasaQueries
import BrasaStore

/// What a step means for windows.
extension Watcher {
    private static let refillPiecesMax = 4

    func note(_ path: ResourcePath, _ before: Document?, _ after: Document?, for view: View) {
        guard case .query(let query) = view.selection, query.names.contains(path) else { return }
        switch view.filling {
        case .running(let filling): return filling.missed(path)
        case .wanted: return
        case nil: break
        }
        let relocation = Window.Relocation(
            path: path,
            before: query.windowEntry(path, before)?.key,
            after: query.windowEntry(path, after)
        )
        guard relocation.before != nil || relocation.after != nil else { return }
        if view.relocations.isEmpty { self.step.windows.append(view) }
        view.relocations.append(relocation)
    }

    func settle(_ view: View, at time: Timestamp) throws(StoreError) {
        let relocations = view.relocations
        view.relocations = []
        let bytes = view.countedBytes
        let moves: [Window.Move]
        if let applied = view.window?.apply(relocations) {
            moves = applied
        } else {
            moves = try self.refill(view, at: time)
        }
        self.count(view)
        if view.countedBytes > bytes, self.isTooLarge(view, isNew: false) {
            self.step.failed.append(view)
            return
        }
        for move in moves {
            view.recent.append(move.path, time: time)
            let document = try self.store.get(move.path, in: view.database, at: time)
            self.step.news.append((view, view.news(of: move.path, document, isMember: move.isMember, at: time)))
        }
    }

    /// Runs the query at once when that is cheap; else its streams wait until it has been done piece by piece.
    private func refill(_ view: View, at time: Timestamp) throws(StoreError) -> [Window.Move] {
        guard case .query(let query) = view.selection, var window = view.window else { return [] }
        let filling = try self.filling(query, window, attempt: 0, in: view.database, at: time)
        for _ in 0..<Self.refillPiecesMax {
            self.turn.eventsLeft -= WindowFilling.chunk
            guard try filling.advance() else { continue }
            let former = window.shownTimes
            _ = filling.finish(&window)
            view.window = window
            return Window.moves(from: former, to: window.shown)
        }
        self.goOn(filling, of: view)
        for target in view.subscribers where target.isLive { target.stream.fallBehind() }
        return []
    }
}
