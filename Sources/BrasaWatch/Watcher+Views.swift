import BrasaDocuments

/// Views as they come and go, and what they take.
extension Watcher {
    /// The view that equal targets share.
    func view(_ selection: View.Selection, bytes: Int, in table: ViewTable) -> View {
        if let view = table.view(selection) { return view }
        let view = View(selection, bytes: bytes, in: table.database, position: self.position, memory: self.memory)
        table.add(view)
        self.memory.selectionBytes += bytes
        self.values.views += 1
        if view.filling != nil { self.fillings.append(view) }
        return view
    }

    func removeIfUnused(_ view: View, from table: ViewTable) {
        guard view.subscribers.isEmpty else { return }
        table.remove(view)
        self.values.views -= 1
        self.memory.selectionBytes -= view.selectionBytes
        view.window = nil
        view.filling = nil
        self.count(view)
    }

    /// Ends all targets of a view.
    func fail(_ view: View, _ failure: TargetFailure) {
        for target in view.subscribers.reversed() { target.stream.end(target, cause: failure) }
    }

    // MARK: Bytes

    /// What the view's window takes may have changed.
    func count(_ view: View) {
        let bytes = view.windowBytes
        self.memory.windowBytes += bytes - view.countedBytes
        view.countedBytes = bytes
    }

    /// Whether the window has to go. `isNew`: it is being filled, so that nobody has been shown it yet; of those the
    /// large ones make room for the small.
    func isTooLarge(_ view: View, isNew: Bool) -> Bool {
        let max = self.configuration.windowBytesMax
        if view.countedBytes > self.configuration.viewWindowBytesMax { return true }
        let isLarge = view.countedBytes > self.configuration.smallWindowBytesMax
        return self.memory.windowBytes > (isNew && isLarge ? max - max / 4 : max)
    }
}
