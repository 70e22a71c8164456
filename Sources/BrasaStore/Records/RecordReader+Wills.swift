import BrasaLog
import BrasaTree

extension RecordReader {
    /// Of a record or a checkpoint of that time.
    mutating func willID(time: Int64) throws(LogRejection) -> TreeWillID {
        let began = try self.time(before: time)
        guard began <= time else { throw LogRejection("a session's record is before its first") }
        return TreeWillID(time: began)
    }

    /// To the payload's end. Nil: what the session leaves is forgotten.
    mutating func willChanges() throws(LogRejection) -> [TreeWillChange]? {
        var changes: [TreeWillChange] = []
        repeat {
            let byte = try self.byte()
            switch WillStepKind(rawValue: byte) {
            case .add: changes.append(.add(try self.treeWrite()))
            case .cancel: changes.append(.cancel(TreeLocation(try self.treePath())))
            case .cancelPriority: changes.append(.cancel(TreeLocation(try self.treePath(), isPriority: true)))
            case .author: changes.append(.author(Array(try self.prefixed())))
            case .forget:
                guard changes.isEmpty, self.isAtEnd else { throw LogRejection("a session leaves nothing, and more") }
                return nil
            case nil: throw LogRejection("step \(byte) of what a session leaves is unknown")
            }
        } while !self.isAtEnd
        return changes
    }

    /// As a checkpoint has it.
    mutating func will(of tree: TreeHandle) throws(LogRejection) -> TreeWill {
        let author = Array(try self.prefixed())
        var writes: [TreeWrite] = []
        for _ in 0..<(try self.varint()) { writes.append(try self.treeWrite()) }
        return TreeWill(of: tree, DisconnectQueue(writes), by: author)
    }

    private mutating func treeWrite() throws(LogRejection) -> TreeWrite {
        let isUpdate = try self.flag()
        let path = try self.treePath()
        let count = try self.varint()
        guard count <= TreeRecord.placementsMax else { throw LogRejection("a session leaves too many places") }
        var assignments: [TreeWrite.Assignment] = []
        for _ in 0..<count {
            let isPriority = try self.flag()
            let relative = try self.treePath()
            let place = relative.isRoot ? path : path.appending(relative)
            _ = try self.levels(below: place)
            let text = Array(try self.prefixed())
            do throws(TreeError) {
                let location = TreeLocation(place, isPriority: isPriority)
                assignments.append(.init(location: location, template: try TreeTemplate(parsing: text, at: place)))
            } catch {
                throw LogRejection("what a session leaves is no value")
            }
        }
        do throws(TreeError) {
            return try TreeWrite(path: path, isUpdate: isUpdate, assignments: assignments)
        } catch {
            throw LogRejection("what a session leaves is no write")
        }
    }
}
