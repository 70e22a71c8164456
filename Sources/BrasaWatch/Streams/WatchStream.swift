package import BrasaStore

/// One listener's targets, in one database. Used on its watcher's loop only.
package final class WatchStream {
    package let database: DatabaseHandle
    let watcher: Watcher
    let sink: any WatchSink

    init(watcher: Watcher, database: DatabaseHandle, sink: any WatchSink) {
        self.watcher = watcher
        self.database = database
        self.sink = sink
    }

    /// Adds a target; at once the sink hears `targetAdded`, or `targetRemoved` with the cause. Throws for ids that end
    /// the stream.
    package func add(_ request: TargetRequest) throws(TargetIDError) {
        _ = try self.refuse(request.id)
    }

    /// Checks the id of a target that its owner refuses, and gives the one to name in the answer.
    package func refuse(_ id: Int32) throws(TargetIDError) -> Int32 { id }

    /// Removes a target; at once the sink hears `targetRemoved`, for an unknown id as well.
    package func remove(_ id: Int32) {
        self.sink.send(.targetRemoved(id, cause: nil))
    }

    /// The sink takes events again.
    package func becameWritable() {}

    /// Nothing is sent any more, and everything the stream held is given back.
    package func close() {}
}
