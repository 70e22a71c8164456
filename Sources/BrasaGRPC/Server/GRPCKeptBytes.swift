/// What a call keeps of its request, or because of it.
struct GRPCKeptBytes {
    /// Of the one request, until the call ends: whoever answers it late keeps it, too.
    var request = 0
    /// What the service keeps besides.
    var held = 0
    /// What connection and account have been told of.
    private var counted = 0

    /// What they are to be told, with so many bytes that are no message yet.
    mutating func takeChange(buffered: Int) -> Int {
        let bytes = buffered + self.request + self.held
        defer { self.counted = bytes }
        return bytes - self.counted
    }

    /// What they were told last.
    var bytes: Int { self.counted }

    mutating func letGo() {
        self.request = 0
        self.held = 0
    }
}
