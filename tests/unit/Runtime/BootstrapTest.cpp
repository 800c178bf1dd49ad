//===- BootstrapTest.cpp - Ranks that meet, and those that should not -----===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../../runtime/lib/bootstrap/Control.h"
#include "../../../runtime/lib/device/HostMemory.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>

using namespace rcclx::runtime;
using namespace rcclx::runtime::testing;
using wire::Type;

namespace {

constexpr uint64_t shortMs = 300;

TEST(UniqueIdTest, isRandomAndChecked) {
  auto a = UniqueId::create(), b = UniqueId::create();
  ASSERT_OK(a.status());
  ASSERT_OK(b.status());
  EXPECT_NE(memcmp(&*a, &*b, sizeof(UniqueId)), 0);
  ASSERT_OK(a->check());
  for (size_t i = 0; i < sizeof(UniqueId); ++i) {
    UniqueId damaged = *a;
    reinterpret_cast<char *>(&damaged)[i] ^= 0x10;
    EXPECT_FALSE(damaged.check().isOk()) << i;
  }
  EXPECT_FALSE(UniqueId{}.check().isOk());
}

TEST(WireTest, readsNoFurtherThanTheMessage) {
  std::string bytes =
      wire::Writer(Type::Leave).put(wire::LeaveBody{3, 0, 9}).get();
  for (size_t size = 0; size <= bytes.size(); ++size) {
    wire::Reader reader(std::string_view(bytes).substr(0, size));
    Type type{};
    wire::LeaveBody body;
    bool complete = reader.getType(type) && reader.get(body);
    EXPECT_EQ(complete, size == bytes.size());
  }
  std::string_view unused;
  EXPECT_FALSE(wire::Reader("abc").getBytes(~size_t(0), unused));
}

class BootstrapTest : public ::testing::Test {
protected:
  BootstrapTest() : id(*UniqueId::create()) {}

  void startHub(uint32_t world, uint64_t timeoutMs) {
    auto started = Hub::start(id, world, timeoutMs);
    ASSERT_OK(started.status());
    hub = *std::move(started);
  }
  /// A connection that says whatever a test wants.
  UniqueFd dial() { return *connectTo(id.name, Deadline::after(2000)); }
  wire::Hello helloOf(uint32_t rank, uint32_t world) {
    wire::Hello hello = {};
    hello.token = id.token;
    hello.protocolVersion = wire::protocolVersion;
    hello.paramsVersion = RCCLX_PARAMS_VERSION;
    hello.regionBytes = RCCLX_REGION_BYTES;
    hello.rank = rank;
    hello.world = world;
    return hello;
  }
  static void send(int socket, std::string_view bytes, int fd = 1) {
    const int fds[] = {fd};
    ASSERT_OK(sendMessage(socket, bytes, fd < 0 ? std::span<const int>() : fds,
                          Deadline::after(1000)));
  }
  static void sendHello(int socket, const wire::Hello &hello) {
    send(socket, wire::Writer(Type::Hello).put(hello).get());
  }
  /// The text of a Refused message.
  static std::string refusal(int socket) {
    auto message = receiveMessage(socket, Deadline::after(5000));
    if (!message)
      return message.status().message();
    wire::Reader reader(message->bytes);
    Type type{};
    wire::FailureHead head;
    if (!reader.getType(type) || type != Type::Refused || !reader.get(head))
      return "not a refusal";
    return std::string(reader.rest());
  }
  /// One rank that joins in good order.
  Expected<std::unique_ptr<Control>> join(uint32_t rank, uint32_t world,
                                          uint64_t timeoutMs) {
    RCCLX_ASSIGN_OR_RETURN(memories.emplace_back(), allocateHostMemory(4096));
    Control::Settings settings;
    settings.id = id;
    settings.rank = rank;
    settings.world = world;
    settings.timeoutMs = timeoutMs;
    RCCLX_ASSIGN_OR_RETURN(UniqueFd fd,
                           exportHostMemory(*memories.back(), settings.memory));
    return Control::connect(
        settings, fd.get(),
        [](uint32_t, const MemoryName &, int) { return Status(); });
  }

  const UniqueId id;
  std::unique_ptr<Hub> hub;
  std::vector<std::unique_ptr<Memory>> memories;
};

TEST_F(BootstrapTest, theIdCanBeUsedOnce) {
  startHub(1, 1000);
  EXPECT_ERROR(Hub::start(id, 1, 1000).status(), Code::InvalidUsage, "in use");
}

TEST_F(BootstrapTest, strangersAreRefusedAndDoNoHarm) {
  startHub(1, 20000);
  auto expectRefusal = [&](const std::string &message, const char *text) {
    UniqueFd socket = dial();
    send(socket.get(), message);
    EXPECT_NE(refusal(socket.get()).find(text), std::string::npos) << text;
  };
  expectRefusal("", "closed"); // an empty message reads as an end of file
  expectRefusal("x", "not a greeting");
  expectRefusal("GET / HTTP/1.1", "not a greeting");
  expectRefusal(std::string(100000, 'x'), "not a greeting");
  wire::Hello hello = helloOf(0, 1);
  std::string whole = wire::Writer(Type::Hello).put(hello).get();
  for (size_t cut : {size_t(1), whole.size() / 2, whole.size() - 1})
    expectRefusal(whole.substr(0, cut), "not a greeting");
  expectRefusal(whole + "x", "not a greeting");
  auto refuseHello = [&](wire::Hello changed, const char *text) {
    expectRefusal(wire::Writer(Type::Hello).put(changed).get(), text);
  };
  wire::Hello bad = hello;
  bad.token[3] ^= 1;
  refuseHello(bad, "unique id");
  bad = hello;
  bad.protocolVersion = 99;
  refuseHello(bad, "another version");
  bad = hello;
  bad.regionBytes = 1;
  refuseHello(bad, "another version");
  refuseHello(helloOf(0, 2), "wants to join 1 ranks");
  refuseHello(helloOf(7, 1), "rank 7 of 1");
  {
    UniqueFd socket = dial(); // a greeting without memory
    send(socket.get(), whole, -1);
    EXPECT_NE(refusal(socket.get()).find("no memory"), std::string::npos);
  }
  {
    UniqueFd gone = dial();
  }
  // After all that, the rank itself still joins.
  ASSERT_OK(join(0, 1, 20000).status());
}

TEST_F(BootstrapTest, aSilentConnectionDoesNotKeepOthersOut) {
  startHub(1, 20000);
  UniqueFd silent = dial();
  ASSERT_OK(join(0, 1, 20000).status());
}

TEST_F(BootstrapTest, twoOfOneRankAreFound) {
  startHub(2, 20000);
  UniqueFd first = dial(), second = dial();
  sendHello(first.get(), helloOf(1, 2));
  sendHello(second.get(), helloOf(1, 2));
  EXPECT_EQ(refusal(second.get()), "there are two ranks 1");
}

TEST_F(BootstrapTest, missingRanksAreNamedToThoseThatCame) {
  startHub(5, shortMs);
  UniqueFd one = dial(), three = dial();
  sendHello(one.get(), helloOf(1, 5));
  sendHello(three.get(), helloOf(3, 5));
  for (int socket : {one.get(), three.get()})
    EXPECT_NE(refusal(socket).find("did not join within 300 ms: 0, 2, 4"),
              std::string::npos);
}

TEST_F(BootstrapTest, whoCannotJoinTellsTheOthersWhy) {
  startHub(3, 20000);
  auto before = std::chrono::steady_clock::now();
  std::thread zero([&] {
    EXPECT_ERROR(join(0, 3, 20000).status(), Code::Remote,
                 "rank 2 cannot join: no memory here");
  });
  Control::Settings settings;
  settings.id = id;
  settings.rank = 2;
  settings.world = 3;
  Control::giveUp(settings, Status(Code::System, "no memory here"));
  zero.join();
  EXPECT_ERROR(join(1, 3, 20000).status(), Code::Remote, "no memory here");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15))
      << "they waited for it";
  // A stranger's word counts for nothing.
  UniqueFd socket = dial();
  wire::Hello stranger = helloOf(1, 3);
  stranger.token[0] ^= 1;
  send(socket.get(),
       wire::Writer(Type::CannotJoin).put(stranger).putText("x").get(), -1);
  EXPECT_NE(refusal(socket.get()).find("unique id"), std::string::npos);
}

TEST_F(BootstrapTest, aRankThatEndsWhileOthersJoinIsNamed) {
  startHub(3, 20000);
  UniqueFd one = dial(), two = dial();
  sendHello(one.get(), helloOf(1, 3));
  sendHello(two.get(), helloOf(2, 3));
  two.reset();
  EXPECT_EQ(refusal(one.get()), "rank 2 ended while the others joined");
}

TEST_F(BootstrapTest, whoComesAfterAFailedStartUpIsTold) {
  startHub(3, shortMs);
  UniqueFd one = dial();
  sendHello(one.get(), helloOf(1, 3));
  EXPECT_NE(refusal(one.get()).find("did not join"), std::string::npos);
  EXPECT_ERROR(join(2, 3, 20000).status(), Code::Timeout,
               "did not join within 300 ms: 0, 2");
}

TEST_F(BootstrapTest, aRefusedAcceptIsToldToThoseThatCame) {
  startHub(2, 20000);
  size_t before = countEntries("/proc/self/fd");
  UniqueFd one = dial();
  sendHello(one.get(), helloOf(1, 2));
  while (countEntries("/proc/self/fd") != before + 3) // socket, peer, memory
    std::this_thread::yield();
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  int next = dup(0);
  close(next);
  rlimit tight = {rlim_t(next) + 1, old.rlim_max}; // one more, for `two`
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  auto two = connectTo(id.name, Deadline::after(2000));
  std::string text = refusal(one.get());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
  ASSERT_OK(two.status());
  EXPECT_EQ(text, "accept: Too many open files");
}

TEST_F(BootstrapTest, aFullQueueOfConnectionsEndsAtTheDeadline) {
  auto listener = listenOn(id.name, 0);
  ASSERT_OK(listener.status());
  std::vector<UniqueFd> waiting;
  while (true) { // until nobody else fits
    auto socket = connectTo(id.name, Deadline::after(50));
    if (!socket) {
      EXPECT_EQ(socket.status().code(), Code::Timeout);
      break;
    }
    waiting.push_back(*std::move(socket));
    ASSERT_LT(waiting.size(), 100u);
  }
}

TEST_F(BootstrapTest, nobodyAtTheIdIsATimeout) {
  EXPECT_ERROR(join(1, 2, shortMs).status(), Code::Timeout,
               "rank 1 of 2, after 300 ms: rank 0 was not there in time");
}

TEST_F(BootstrapTest, aHubThatStopsEarlyIsReported) {
  startHub(2, 20000);
  std::thread rank([&] {
    EXPECT_ERROR(join(1, 2, 20000).status(), Code::Remote, "rank 0 ended");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  hub.reset();
  rank.join();
}

TEST_F(BootstrapTest, aLyingHubIsNoCrash) {
  // This test is the hub: it listens at the id and answers nonsense.
  auto listener = listenOn(id.name, 4);
  ASSERT_OK(listener.status());
  const std::string answers[] = {
      "",
      "x",
      std::string(1000, '\0'),
      wire::Writer(Type::Table).get(),
      wire::Writer(Type::Table).putText("short").get(),
      wire::Writer(Type::Memory).get(),
      wire::Writer(Type::Refused).get(),
      wire::Writer(Type::Refused).put(wire::FailureHead{0, 0}).get(),
      wire::Writer(Type::Refused).put(wire::FailureHead{0, 999}).get(),
      std::string(maxMessageBytes, 'x')};
  for (const std::string &answer : answers) {
    std::thread rank([&] { EXPECT_FALSE(join(1, 2, 3000).isOk()); });
    pollfd entry = {listener->get(), POLLIN, 0};
    ASSERT_EQ(poll(&entry, 1, 20000), 1);
    UniqueFd socket(accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
    send(socket.get(), answer, -1);
    socket.reset();
    rank.join();
  }
}

TEST_F(BootstrapTest, anotherUsersProcessNeitherServesNorJoins) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to be another user";
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  // He has guessed the name, and listens at it.
  pid_t squatter = fork();
  if (squatter == 0) {
    char byte = 0;
    if (setuid(12345) != 0)
      _exit(1);
    auto listener = listenOn(id.name, 4);
    ssize_t put = write(ready[1], &byte, 1);
    ssize_t got = read(done[0], &byte, 1);
    _exit(listener && put == 1 && got == 1 ? 0 : 2);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_ERROR(Hub::start(id, 2, 1000).status(), Code::InvalidUsage, "in use");
  EXPECT_ERROR(join(1, 2, 1000).status(), Code::InvalidUsage,
               "rank 0's socket belongs to user 12345");
  ASSERT_EQ(write(done[1], &byte, 1), 1);
  int state = 0;
  ASSERT_EQ(waitpid(squatter, &state, 0), squatter);
  EXPECT_EQ(state, 0);
  // He knows the whole id, and wants to be rank 1.
  startHub(2, 300);
  pid_t guest = fork();
  if (guest == 0) {
    if (setuid(12345) != 0)
      _exit(1);
    auto joined = join(1, 2, 1000);
    bool refused = joined.status().code() == Code::InvalidUsage &&
                   joined.status().message().find("belongs to user 0") !=
                       std::string::npos;
    // Nor when he does not look at whose socket it is: he is not even heard.
    UniqueFd socket = dial();
    refused &= refusal(socket.get()).find("another user") != std::string::npos;
    _exit(refused ? 0 : 2);
  }
  ASSERT_EQ(waitpid(guest, &state, 0), guest);
  EXPECT_EQ(state, 0);
}

//===----------------------------------------------------------------------===//
// After joining
//===----------------------------------------------------------------------===//

struct Listener final : ControlListener {
  void onFailure(const Status &status) override {
    std::lock_guard lock(mutex);
    if (failure.isOk())
      failure = status;
    control->interrupt(status);
    changed.notify_all();
  }
  void onLeave(uint32_t rank, uint64_t calls) override {
    std::lock_guard lock(mutex);
    left.emplace_back(rank, calls);
    changed.notify_all();
  }
  Status onHandover(Hub::Handover handover) override {
    if (!refusesHub) {
      RCCLX_ASSIGN_OR_RETURN(hub, Hub::adopt(std::move(handover), world));
    }
    std::lock_guard lock(mutex);
    ++handovers;
    changed.notify_all();
    return Status();
  }
  void waitForHandovers(int count) {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(20),
                                 [&] { return handovers >= count; }));
  }
  Status waitForFailure() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(20),
                     [&] { return !failure.isOk(); });
    return failure;
  }

  Control *control = nullptr;
  uint32_t world = 0;
  bool refusesHub = false;
  std::unique_ptr<Hub> hub; // before what the watchdog uses
  std::mutex mutex;
  std::condition_variable changed;
  int handovers = 0;
  Status failure;
  std::vector<std::pair<uint32_t, uint64_t>> left;
};

class GatherTest : public BootstrapTest {
protected:
  void joinAll(uint32_t world) {
    startHub(world, 20000);
    controls.resize(world);
    listeners = std::vector<Listener>(world);
    memories.reserve(world);
    std::vector<std::thread> threads;
    std::mutex mutex;
    for (uint32_t r = 0; r != world; ++r)
      threads.emplace_back([&, r] {
        Control::Settings settings;
        std::unique_ptr<Memory> memory = *allocateHostMemory(4096);
        settings.id = id;
        settings.rank = r;
        settings.world = world;
        settings.timeoutMs = 20000;
        UniqueFd fd = *exportHostMemory(*memory, settings.memory);
        auto control = Control::connect(
            settings, fd.get(),
            [](uint32_t, const MemoryName &, int) { return Status(); });
        ASSERT_OK(control.status());
        controls[r] = *std::move(control);
        listeners[r].control = controls[r].get();
        listeners[r].world = world;
        ASSERT_OK(controls[r]->watch(listeners[r]));
        std::lock_guard lock(mutex);
        memories.push_back(std::move(memory));
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  /// What Communicator::leave does.
  void leave(uint32_t rank, uint64_t calls) {
    controls[rank]->sendLeave(calls);
    ASSERT_OK(controls[rank]->sayBye());
    if (rank == 0)
      hub.reset();
    listeners[rank].hub.reset();
    controls[rank].reset();
  }
  ~GatherTest() override {
    // No handover may come to a listener that is gone.
    for (auto &control : controls)
      if (control)
        control->stop();
    for (Listener &listener : listeners)
      listener.refusesHub = true;
  }
  template <typename Body> void eachRank(Body body) {
    std::vector<std::thread> threads;
    for (uint32_t r = 0; r != controls.size(); ++r)
      threads.emplace_back([&, r] { body(r); });
    for (std::thread &thread : threads)
      thread.join();
  }

  std::vector<Listener> listeners;
  std::vector<std::unique_ptr<Control>> controls;
};

TEST_F(GatherTest, givesEveryoneEverything) {
  joinAll(5);
  eachRank([&](uint32_t rank) {
    for (int round = 0; round != 20; ++round) {
      auto blobs = controls[rank]->gather(
          std::string(rank, 'a') + std::to_string(round), 20000);
      ASSERT_OK(blobs.status());
      for (uint32_t r = 0; r != 5; ++r)
        EXPECT_EQ((*blobs)[r], std::string(r, 'a') + std::to_string(round));
    }
  });
}

TEST_F(GatherTest, whoDoesNotComeIsNamed) {
  joinAll(4);
  eachRank([&](uint32_t rank) {
    if (rank == 1 || rank == 3)
      return;
    EXPECT_ERROR(controls[rank]->gather("x", shortMs).status(), Code::Timeout,
                 "in time: 1, 3");
  });
}

TEST_F(GatherTest, aDeathReachesAll) {
  joinAll(3);
  controls[2].reset(); // its socket closes, as when its process is killed
  for (uint32_t rank : {0u, 1u})
    EXPECT_ERROR(listeners[rank].waitForFailure(), Code::Remote,
                 "rank 2 (process");
  EXPECT_ERROR(controls[1]->gather("x", 20000).status(), Code::Remote,
               "rank 2");
}

TEST_F(GatherTest, aDeathDuringStartUpReachesThoseThatHaveJoined) {
  startHub(2, 20000);
  UniqueFd one = dial();
  sendHello(one.get(), helloOf(1, 2));
  auto zero = join(0, 2, 20000);
  ASSERT_OK(zero.status());
  Listener listener;
  listener.control = zero->get();
  ASSERT_OK((*zero)->watch(listener));
  ASSERT_OK(receiveMessage(one.get(), Deadline::after(20000)).status());
  one.reset(); // in the middle of its own joining
  EXPECT_ERROR(listener.waitForFailure(), Code::Remote,
               "rank 1 ended while it was connected");
  (*zero)->stop();
}

TEST_F(GatherTest, leavingIsNoDeath) {
  joinAll(3);
  leave(2, 7);
  leave(0, 7);
  Listener &one = listeners[1];
  std::unique_lock lock(one.mutex);
  EXPECT_TRUE(one.changed.wait_for(lock, std::chrono::seconds(20),
                                   [&] { return one.left.size() == 2; }));
  EXPECT_EQ(one.left[0], (std::pair<uint32_t, uint64_t>(2, 7)));
  EXPECT_TRUE(one.failure.isOk()) << one.failure.message();
}

TEST_F(GatherTest, aDeathWhileLeavingReachesAll) {
  joinAll(3);
  controls[2]->sendLeave(7);
  controls[2].reset(); // its calls may not have ended
  for (uint32_t rank : {0u, 1u})
    EXPECT_ERROR(listeners[rank].waitForFailure(), Code::Remote,
                 "ended while it left");
}

TEST_F(GatherTest, theHubGoesOnWithTheLastThatStays) {
  joinAll(5);
  leave(0, 1);
  listeners[4].waitForHandovers(1);
  leave(1, 1);
  leave(4, 1);
  listeners[3].waitForHandovers(1);
  EXPECT_TRUE(listeners[2].failure.isOk());
  // It relays and finds deaths as the first did.
  controls[2]->sendFailure(2, Status(Code::Aborted, "a test"));
  EXPECT_ERROR(listeners[3].waitForFailure(), Code::Aborted, "a test");
  controls[3].reset(); // its hub lives on here, as no process of its own ends
  EXPECT_ERROR(listeners[2].waitForFailure(), Code::Remote, "rank 3 (process");
}

TEST_F(GatherTest, theNextHubsDeathReachesAll) {
  joinAll(4);
  listeners[3].refusesHub = true; // it closes what it gets, as if it died
  leave(0, 0);
  listeners[3].waitForHandovers(1);
  for (uint32_t rank : {1u, 2u})
    EXPECT_ERROR(listeners[rank].waitForFailure(), Code::Remote,
                 "rank 3 ended");
}

TEST_F(GatherTest, messagesUnderWayOutliveTheHub) {
  for (int round = 0; round != 20; ++round) {
    joinAll(3);
    std::thread talker([&] {
      controls[1]->sendFailure(1, Status(Code::Aborted, "said meanwhile"));
    });
    leave(0, 0);
    talker.join();
    EXPECT_ERROR(listeners[2].waitForFailure(), Code::Aborted,
                 "said meanwhile");
    for (auto &control : controls)
      if (control)
        control->stop();
    for (Listener &listener : listeners)
      listener.hub.reset();
    controls.clear();
  }
}

TEST_F(GatherTest, manyRanksLeaveInEitherOrder) {
  // More sockets than fit in one message.
  for (bool ascending : {true, false}) {
    constexpr uint32_t world = 150;
    joinAll(world);
    for (uint32_t i = 0; i != world; ++i)
      leave(ascending ? i : world - 1 - i, 0);
    for (Listener &listener : listeners)
      EXPECT_TRUE(listener.failure.isOk()) << listener.failure.message();
    int handovers = 0;
    for (Listener &listener : listeners)
      handovers += listener.handovers;
    EXPECT_EQ(handovers, ascending ? 1 : 0);
  }
}

TEST_F(GatherTest, failuresTravelWithTheirText) {
  joinAll(3);
  controls[1]->sendFailure(2, Status(Code::Timeout, "rank 2 is late"));
  for (uint32_t rank : {0u, 2u}) {
    Status status = listeners[rank].waitForFailure();
    EXPECT_EQ(status.code(), Code::Timeout);
    EXPECT_EQ(status.message(), "rank 2 is late");
  }
}

} // namespace
