#pragma once

#include <csignal>

namespace mha {

/// What asks the process to stop: a lost terminal, Ctrl-C, kill, and what batch systems send before they kill.
inline constexpr int kStopSignals[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1};

/// Installs handlers for these signals: the first sets a flag, the second of them ends the process at once with
/// 128 + signal. Nothing else happens in the handler. SIGHUP stays ignored if it is (nohup).
void install_stop_handlers();

/// The signal that asked to stop, or 0. Every loop that can last asks this.
int stop_signal();

/// Throws Interrupted if a stop was asked for.
void throw_if_stopped();

/// Sets the flag as a signal would (0 clears it); for tests.
void request_stop(int signal_number);

}  // namespace mha
