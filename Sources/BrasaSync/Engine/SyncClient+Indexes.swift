internal import BrasaQueries
internal import BrasaStatus

/// Indexes on fields, of storages that have such.
extension SyncClient {
    /// Whether queries that look at many documents to find few are given indexes. Not at first. Those that are there stay and
    /// are used.
    package func setIndexAutoCreation(_ isEnabled: Bool) {
        if self.end == nil { self.engine.local.createsIndexes = isEnabled }
    }

    /// Those made automatically and others. A storage that fails keeps them.
    package func deleteAllIndexes() {
        if self.end == nil { try? self.engine.local.setIndexes([]) }
    }

    /// Replaces all indexes by those that a JSON text lists.
    package func setIndexConfiguration(_ json: [UInt8], completion: (SyncError?) -> Void) {
        if let end = self.end { return completion(end) }
        do throws(SyncError) {
            let definitions = try IndexConfiguration(json).definitions
            do throws(StorageError) {
                try self.engine.local.setIndexes(definitions)
            } catch {
                throw SyncError("The indexes could not be stored.", storage: error)
            }
            completion(nil)
        } catch {
            completion(error)
        }
    }
}
