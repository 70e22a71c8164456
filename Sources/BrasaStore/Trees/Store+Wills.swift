import BrasaDocuments
package import BrasaLog

/// What sessions leave to be written at their ends (`onDisconnect`).
extension Store {
    /// All that there is, durable, in the order in which they began. After a start these are of sessions that ended with the
    /// process before.
    package var treeWills: [(id: TreeWillID, will: TreeWill)] {
        self.trees.wills.all(at: { self.commitClock.watermark }).wills
    }

    /// That have not ended, durable or not.
    package var treeWillCount: Int { self.trees.wills.count }

    /// The writer's section: notes a step, at a time already given out. The waiter hears when it is durable. When this
    /// throws, nothing was changed, and the stamp has to be withdrawn.
    package func apply(
        _ step: TreeWillStep,
        at stamp: CommitStamp,
        waiter: LogWaiter?
    ) throws(StoreError) -> TreeWillID {
        let time = stamp.time.microseconds
        do throws(StoreError) {
            let record = TreeWillRecord(step, time: time)
            guard record.byteCount <= self.commitBytesMax else { throw StoreError(.commitTooLarge) }
            let growth = self.trees.wills.growth(of: step)
            guard self.trees.wills.hasRoom(for: growth) else { throw StoreError(.tooMuchLeft) }
            try self.checkMemory(growth: growth)
            // There before the log has the record, which may be durable at any moment after.
            let will = self.trees.wills.note(step, time: time)
            do throws(LogError) {
                try self.log.append(time: time, record: record, waiter: waiter)
            } catch {
                self.trees.wills.takeBack()
                throw StoreError(refused: error)
            }
            return will
        } catch {
            self.commitMeasures.refused(error.code)
            throw error
        }
    }

    /// Puts together what has become durable of them. Not for the writer's section.
    package func settleTreeWills() { self.trees.wills.settle(through: self.commitClock.watermark) }
}
