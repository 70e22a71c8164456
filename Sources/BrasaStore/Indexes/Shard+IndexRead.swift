import BrasaDocuments
import Synchronization

extension Shard {
    /// The documents of this shard's part of an index that are visible at `time`: in ascending order from `position` up to
    /// `end`, or in descending order from `position` down to it. Nil: the index was dropped. `isCounting` leaves
    /// `entries` empty and counts only. The caller checks the history for `time` afterwards, as after every read.
    func read(
        _ index: Index,
        from position: IndexPosition,
        to end: IndexPosition,
        at time: Int64,
        isDescending: Bool,
        isCounting: Bool = false,
        budget: ScanBudget
    ) -> IndexPart? {
        nil
    }
}
