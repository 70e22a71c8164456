import BrasaTree

/// What sessions leave, in the format of docs/storage-format.md.
extension RecordSink {
    mutating func append(_ step: TreeWillStep, time: Int64) {
        self.append(RecordKind.treeWill.rawValue)
        self.append(prefixed: step.tree.name.utf8)
        self.append(age: time, since: step.will?.time ?? time)
        self.append(contentsOf: step.bytes)
    }

    mutating func append(_ change: TreeWillChange) {
        switch change {
        case .add(let write):
            self.append(WillStepKind.add.rawValue)
            self.append(write)
        case .cancel(let place):
            self.append((place.isPriority ? WillStepKind.cancelPriority : .cancel).rawValue)
            self.append(place.path.keys[...])
        case .author(let author):
            self.append(WillStepKind.author.rawValue)
            self.append(prefixed: author)
        }
    }

    /// As a checkpoint has it.
    mutating func append(_ will: TreeWill, id: TreeWillID, snapshotTime: Int64) {
        self.append(prefixed: will.tree.name.utf8)
        self.append(age: snapshotTime, since: id.time)
        self.append(prefixed: will.author)
        self.append(varint: UInt64(will.queue.writes.count))
        for write in will.queue.writes { self.append(write) }
    }

    /// With what the server is to work out, which JSON has a form for.
    private mutating func append(_ write: TreeWrite) {
        self.append(write.isUpdate ? 1 : 0)
        self.append(write.path.keys[...])
        self.append(varint: UInt64(write.assignments.count))
        for assignment in write.assignments {
            self.append(assignment.location.isPriority ? 1 : 0)
            // Every place is at the written node or below it.
            self.append(assignment.location.path.keys.dropFirst(write.path.keys.count))
            self.append(prefixed: assignment.template.json.text)
        }
    }
}
