internal import BrasaDocuments

extension MemoryTables {
    func targetData(for target: SyncTarget) -> TargetData? { self.targets[target] }

    func setTargetData(_ data: TargetData) {
        self.setTarget(data, for: data.target)
    }

    func releaseTarget(_ data: TargetData, seen: [ResourcePath]) {
        switch self.collector {
        case .eager:
            for path in self.remoteKeys.removeAll(of: data.id) + seen { self.noteUse(of: path) }
            self.setTarget(nil, for: data.target)
        case .leastRecentlyUsed:
            var data = data
            data.sequence = self.sequence
            self.setTarget(data, for: data.target)
        }
    }

    func remoteKeys(of target: TargetID) -> Set<ResourcePath> { self.remoteKeys.paths(of: target) }

    func addRemoteKeys(_ paths: Set<ResourcePath>, to target: TargetID) {
        for path in paths {
            self.remoteKeys.add(path, target)
            self.noteUse(of: path)
        }
    }

    func removeRemoteKeys(_ paths: Set<ResourcePath>, from target: TargetID) {
        for path in paths {
            self.remoteKeys.remove(path, target)
            self.noteUse(of: path)
        }
    }

    func lastRemoteSnapshotVersion() -> Timestamp { self.lastRemoteVersion }

    func setLastRemoteSnapshotVersion(_ version: Timestamp) {
        self.lastRemoteVersion = max(self.lastRemoteVersion, version)
    }
}
