import ArgumentParser

extension ParsableCommand {
    /// Ends with status 1 and a sentence when what was asked for cannot be done.
    func attempt<Failure: Error>(_ body: () throws(Failure) -> Void) throws {
        do throws(Failure) {
            try body()
        } catch {
            ProcessSurroundings.complain("\(error)")
            throw ExitCode(1)
        }
    }
}
