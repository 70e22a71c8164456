import BrasaPlatform
import Synchronization

/// A full disk is no failure: the log goes on when there is room again.
///
/// Segments are allocated before they are used, so a disk that fills up shows when the next one is prepared, while the
/// current one has half of its room left. From then on `append` takes what surely fits there and refuses the rest, of which
/// nothing is ever written. What was taken before, and does not fit, waits.
extension WriteAheadLog {
    package var isDiskFull: Bool { self.queue.withLock { $0.isDiskFull } }

    /// To be called every second: tries again to make the next segment, on the thread that prepares them, if the
    /// disk was full.
    package func retryFullDisk() {
        if self.isDiskFull { self.preparingWorker.wake() }
    }

    /// Allocates the next segment once the current one is half full. Always false: it has nothing more to do until it is
    /// woken. A refusal of the disk other than that it is full is met again, and then reported, when the segment is needed.
    package func prepareStep() -> Bool {
        guard let files = self.files, files.wantsSpare.load(ordering: .relaxed) || self.isDiskFull else { return false }
        do throws(LogError) {
            try files.preparer.prepare()
            self.notePrepared()
        } catch {
            if error.code == .diskFull { self.noteDiskFull(error) }
        }
        return false
    }

    /// Makes the next segment already now, if there is room for it: to be called before something else takes much space.
    package func prepareNextSegment() {
        guard let files = self.files else { return }
        do throws(LogError) {
            try files.preparer.prepare()
            self.notePrepared()
        } catch {
            // It is not needed yet. When it is, the disk may have room, or this is met again and reported.
        }
    }

    /// `roomBytes`: what is left of the current segment, for a group that does not fit there.
    func noteDiskFull(_ error: LogError, roomBytes: Int? = nil) {
        let isNews = self.queue.withLock { queue in
            if let roomBytes {
                queue.roomBytes = roomBytes
                queue.stuck = .waits
            }
            defer { queue.isDiskFull = true }
            return !queue.isDiskFull
        }
        if isNews { self.observer.onDiskFull(error) }
    }

    /// There is a next segment. Whether a group that waits for it can be written there is seen when it is tried.
    private func notePrepared() {
        let (isStuck, isNews) = self.queue.withLock { queue in
            if queue.stuck != .no {
                queue.stuck = .mayBeTried
                return (true, false)
            }
            defer { queue.isDiskFull = false }
            return (false, queue.isDiskFull)
        }
        if isStuck { self.worker.wake() }
        if isNews { self.observer.onDiskFull(nil) }
    }

    /// A group was written to a next segment.
    func noteRoom() {
        let isNews = self.queue.withLock { queue in
            queue.stuck = .no
            defer { queue.isDiskFull = false }
            return queue.isDiskFull
        }
        if isNews { self.observer.onDiskFull(nil) }
    }
}
