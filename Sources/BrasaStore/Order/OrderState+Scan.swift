import BrasaDocuments

extension OrderState {
    /// The documents that are visible at `time`, in ascending order from `position`. With `showMissing` also the missing
    /// ones that have visible documents below; a document may then follow itself once as missing.
    func ascending(
        _ scope: ScanScope,
        from position: PathPosition,
        at time: Int64,
        showMissing: Bool,
        budget: ScanBudget
    ) -> ScanPart<[NameScan.Entry]> {
        guard let tree = self.tree(scope.tree) else { return ScanPart(found: [], resume: nil) }
        var part = ScanPart<[NameScan.Entry]>(found: [], resume: position)
        var walk = tree.walk(from: position, at: time)
        var steps = budget.steps
        while part.found.count < budget.entries, steps > 0 {
            guard let (path, chain) = walk.next(), scope.end.isAfter(path) else {
                part.resume = nil
                break
            }
            steps -= 1
            part.steps += 1
            part.resume = .after(path)
            guard let depth = scope.depth, path.segmentCount > depth else {
                if let document = chain.document(at: time) {
                    part.found.append(NameScan.Entry(path: path, document: document))
                }
                continue
            }
            if showMissing, !chain.isVisible(at: time) { continue }
            let ancestor = path.prefix(segments: depth)
            if showMissing, part.found.last?.path != ancestor, !scope.start.isAfter(ancestor) {
                part.found.append(NameScan.Entry(path: ancestor, document: nil))
            }
            let place = PathPosition.afterSubtree(ancestor)
            part.resume = place
            walk.seek(place)
        }
        return part
    }

    /// The same in descending order, from `position` towards the scope's start.
    func descending(
        _ scope: ScanScope,
        from position: PathPosition,
        at time: Int64,
        budget: ScanBudget
    ) -> ScanPart<[NameScan.Entry]> {
        guard let tree = self.tree(scope.tree) else { return ScanPart(found: [], resume: nil) }
        var part = ScanPart<[NameScan.Entry]>(found: [], resume: position)
        var walk = tree.walk(from: position, at: time, isDescending: true)
        var steps = budget.steps
        while part.found.count < budget.entries, steps > 0 {
            guard let (path, chain) = walk.next(), !scope.start.isAfter(path) else {
                part.resume = nil
                break
            }
            steps -= 1
            part.steps += 1
            if let depth = scope.depth, path.segmentCount > depth {
                let place = PathPosition.after(path.prefix(segments: depth))
                part.resume = place
                walk.seek(place)
            } else {
                part.resume = .before(path)
                if let document = chain.document(at: time) {
                    part.found.append(NameScan.Entry(path: path, document: document))
                }
            }
        }
        return part
    }

    /// The ids of the collections directly below `parent` that have documents at `time`, at any depth, ascending.
    func collectionIDs(
        under parent: ResourcePath,
        from position: PathPosition,
        at time: Int64,
        budget: ScanBudget
    ) -> ScanPart<[CollectionID]> {
        var part = ScanPart<[CollectionID]>(found: [], resume: position)
        var walk = self.names.walk(from: position, at: time)
        var steps = budget.steps
        while part.found.count < budget.entries, steps > 0 {
            guard let (path, chain) = walk.next(), path.isDescendant(of: parent) else {
                part.resume = nil
                break
            }
            steps -= 1
            part.steps += 1
            part.resume = .after(path)
            guard chain.isVisible(at: time) else { continue }
            let collection = path.prefix(segments: parent.segmentCount + 1)
            part.found.append(CollectionID(collection.lastSegment))
            let place = PathPosition.afterSubtree(collection)
            part.resume = place
            walk.seek(place)
        }
        return part
    }
}
