package import BrasaIdentity
import BrasaStore
import BrasaTree
import BrasaTreeJudging

extension TreeService {
    package enum StreamOutcome: Sendable {
        case stream(TreeEventStream)
        case refused(TreeAnswer)
    }

    /// Begins an event stream, if its reader may read.
    /// - Parameter admission: by what the reader was let in; the stream ends with it.
    package func stream(_ call: TreeCall, admission: Admission?, _ followers: TreeFollowers) -> StreamOutcome {
        do throws(TreeCallRefusal) {
            let options = try TreeCallOptions(call)
            guard let reader = try call.identity().reader(of: call.tree) else {
                throw TreeCallRefusal(.permissionDenied)
            }
            try self.checkReading(call, options, in: self.root(of: call.tree))
            guard !options.isShallow, !call.location.isPriority, call.ifNoneMatch == nil else {
                throw TreeCallRefusal("an event stream is of a whole node")
            }
            let tree = self.store.tree(call.tree)
            let path = call.location.path
            let reading = TreeReading(path, options.query, of: tree, by: reader, self.rules.book, in: self.store)
            let node = self.store.root(of: tree).root[path]
            guard node.nodeCount <= self.bounds.readNodesMax else { throw TreeCallRefusal(.tooMuchToRead) }
            if let query = options.query {
                try Self.checkWork(query, node)
                let subject = TreeEventSubject(tree: tree, target: reading.target, form: options.form)
                let isPlain = query.order == .priority && !node.hasChildPriorities
                guard followers.mayIndex(subject, children: isPlain ? 0 : node.childCount) else {
                    throw TreeCallRefusal(.tooMuchToRead)
                }
            }
            return .stream(
                TreeEventStream(
                    reading,
                    options.form,
                    followers,
                    admission: admission
                )
            )
        } catch {
            return .refused(error.answer)
        }
    }
}
